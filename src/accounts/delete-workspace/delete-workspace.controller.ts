import { Controller, Delete, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import type { Origin } from '../../kernel/metadata.js';
import { DeleteWorkspace } from './delete-workspace.command.js';
import { DescribeDeleteWorkspace } from './delete-workspace.openapi.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class DeleteWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':workspace')
  @DescribeDeleteWorkspace()
  async delete(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    await this.commands.execute(new DeleteWorkspace(accountId, workspace, origin));
    return { deleted: true };
  }
}
