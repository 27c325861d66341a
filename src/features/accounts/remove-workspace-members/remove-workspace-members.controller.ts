import {
  Body,
  Controller,
  HttpCode,
  Inject,
  Param,
  Post,
  UseGuards,
  UseInterceptors,
} from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../../edge/http/callers/caller.js';
import { JsonBodyInterceptor } from '../../../edge/http/requests/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../../edge/http/callers/management-key.guard.js';
import { object, Operation } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import type { Origin } from '../../../kernel/metadata.js';
import { WorkspaceMembersRequest } from '../workspace-members.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { RemoveWorkspaceMembers } from './remove-workspace-members.command.js';

const REMOVED = { type: 'integer', minimum: 0, description: 'The number of users who left.' };

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class RemoveWorkspaceMembersController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post(':workspace/members/remove')
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation(
    'removeWorkspaceMembers',
    'Remove members from a workspace, all or none',
    object({ removed_count: REMOVED }),
  )
  async remove(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(WorkspaceMembersRequest)) body: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ removed_count: number }> {
    const command = new RemoveWorkspaceMembers(accountId, workspace, body, origin);
    const removed = await this.commands.execute(command);
    return { removed_count: removed.length };
  }
}
