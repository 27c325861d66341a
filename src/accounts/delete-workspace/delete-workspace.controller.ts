import { Controller, Delete, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { deletedAnswer } from '../../http/described-answers.js';
import { undecodable } from '../../http/described-refusals.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import type { Origin } from '../../kernel/metadata.js';
import { WRITE_REFUSALS } from '../../rate-limits/rate-limited.openapi.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { DeleteWorkspace } from './delete-workspace.command.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class DeleteWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':workspace')
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'deleteWorkspace',
    summary: 'Delete a workspace',
    description:
      'The path has the id or the slug. Only a workspace without keys can be deleted; deleted keys do not count. Its memberships end, and its slug is free again. A deletion is permanent.',
    path: WORKSPACE_IN_PATH,
    success: deletedAnswer('The workspace was deleted.'),
    refusals: [
      ...WRITE_REFUSALS,
      undecodable('workspace'),
      'not-found',
      'default-workspace-not-deletable',
      'workspace-holds-keys',
    ],
  })
  async delete(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    await this.commands.execute(new DeleteWorkspace(accountId, workspace, origin));
    return { deleted: true };
  }
}
