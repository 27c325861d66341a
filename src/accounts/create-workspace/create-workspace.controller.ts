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
import { recordAnswer } from '../../http/described-answers.js';
import { fieldRefusal, quotaRefusal } from '../../http/described-refusals.js';
import { textRule } from '../../http/field-rules.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';

import type { WorkspaceRecord } from '../domain/workspace.js';
import { describedWorkspace, presentWorkspace } from '../workspace-record.js';
import { NAME } from '../workspace.fields.js';
import { CreateWorkspace, CreateWorkspaceRequest } from './create-workspace.command.js';

const { name, slug, description, restrictions } = describedWorkspace.example;

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class CreateWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post()
  @HttpCode(201)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'createWorkspace',
    summary: 'Create a workspace',
    description: 'A new workspace has no members and no keys.',
    request: {
      shape: CreateWorkspaceRequest,
      examples: {
        'only a name': { name },
        everything: { name, slug, description, restrictions },
      },
    },
    success: recordAnswer(describedWorkspace, 'The workspace.', { status: 201 }),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'name', textRule(NAME)),
      'workspace-slug-taken',
      quotaRefusal('workspaces', 1_000),
    ],
  })
  async create(
    @Body(new ShapePipe(CreateWorkspaceRequest)) body: CreateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    const workspace = await this.commands.execute(new CreateWorkspace(accountId, body, origin));
    return { data: presentWorkspace(workspace) };
  }
}
