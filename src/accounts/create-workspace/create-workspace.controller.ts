import {
  Body,
  Controller,
  HttpCode,
  Inject,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { recordOf, type WorkspaceRecord } from '../domain/workspace.js';
import { CreateWorkspace } from './create-workspace.command.js';
import { DescribeCreateWorkspace } from './create-workspace.openapi.js';
import { CreateWorkspaceRequest } from './create-workspace.request.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class CreateWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeCreateWorkspace()
  async create(
    @Body(new ShapePipe(CreateWorkspaceRequest)) body: CreateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    const wanted = {
      name: body.name,
      slug: body.slug ?? undefined,
      description: body.description ?? null,
      restrictions: body.restrictions ?? [],
    };
    const workspace = await this.commands.execute(new CreateWorkspace(accountId, wanted, origin));
    return { data: recordOf(workspace) };
  }
}
