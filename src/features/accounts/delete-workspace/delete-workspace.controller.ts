import { Controller, Delete, Inject, Param, UseGuards } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { DELETED, Operation } from '../../../edge/http/openapi/operation.js';
import type { Origin } from '../../../kernel/metadata.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { DeleteWorkspace } from './delete-workspace.command.js';

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class DeleteWorkspaceController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Delete(':workspace')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('deleteWorkspace', 'Delete a workspace without keys, for good', DELETED)
  async delete(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    await this.commands.execute(new DeleteWorkspace(accountId, workspace, origin));
    return { deleted: true };
  }
}
