import { Body, Controller, Inject, Param, Patch, UseGuards, UseInterceptors } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { recordAnswer } from '../../http/described-answers.js';
import { fieldRefusal } from '../../http/described-refusals.js';
import { textRule } from '../../http/field-rules.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import { Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import type { WorkspaceRecord } from '../domain/workspace.js';
import { describedWorkspace, presentWorkspace, WORKSPACE_IN_PATH } from '../workspace-record.js';
import { NAME } from '../workspace.fields.js';
import { UpdateWorkspace, UpdateWorkspaceRequest } from './update-workspace.command.js';

const { shape, example } = describedWorkspace;
const changed = { ...example, slug: 'eu', updated_at: '2026-01-06T10:00:00.000Z' };

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class UpdateWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Patch(':workspace')
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'updateWorkspace',
    summary: 'Update a workspace',
    description:
      'The path has the id or the slug. Changes the given fields, all or none. A field that already has its value is no change.',
    path: WORKSPACE_IN_PATH,
    request: {
      shape: UpdateWorkspaceRequest,
      examples: {
        rename: { name: 'European Union', slug: 'eu' },
        restrict: { restrictions: ['eu-only', 'zero-retention'] },
        'lift every restriction': { restrictions: [], description: null },
      },
    },
    success: recordAnswer({ shape, example: changed }, 'The workspace after the update.'),
    refusals: [
      ...WRITE_REFUSALS,
      fieldRefusal('request-invalid', 'name', textRule(NAME)),
      'no-update-fields',
      'not-found',
      'workspace-slug-taken',
    ],
  })
  async update(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(UpdateWorkspaceRequest)) body: UpdateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    const command = new UpdateWorkspace(accountId, workspace, body, origin);
    return { data: presentWorkspace(await this.commands.execute(command)) };
  }
}
