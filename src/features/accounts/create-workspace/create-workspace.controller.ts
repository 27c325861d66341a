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
import { ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { JsonBodyInterceptor } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { one, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import type { Origin } from '../../../kernel/metadata.js';

import type { WorkspaceRecord } from '../domain/workspace.js';
import { WorkspaceShape, presentWorkspace } from '../workspace-record.js';
import { CreateWorkspace, CreateWorkspaceRequest } from './create-workspace.command.js';

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class CreateWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @UseInterceptors(JsonBodyInterceptor)
  @Operation('createWorkspace', 'Create a workspace', one(WorkspaceShape, 201))
  async create(
    @Body(new ShapePipe(CreateWorkspaceRequest)) body: CreateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    const workspace = await this.commands.execute(new CreateWorkspace(accountId, body, origin));
    return { data: presentWorkspace(workspace) };
  }
}
