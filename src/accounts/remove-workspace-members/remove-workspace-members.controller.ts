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
import { type Caller, CurrentCaller, RequestOrigin } from '../../http/caller.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import { WorkspaceMembersRequest } from '../workspace-members.request.js';
import { RemoveWorkspaceMembers } from './remove-workspace-members.command.js';
import { DescribeRemoveWorkspaceMembers } from './remove-workspace-members.openapi.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class RemoveWorkspaceMembersController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post(':workspace/members/remove')
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeRemoveWorkspaceMembers()
  async remove(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(WorkspaceMembersRequest)) { user_ids }: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ removed_count: number }> {
    const command = new RemoveWorkspaceMembers(accountId, workspace, user_ids, origin);
    const removed = await this.commands.execute(command);
    return { removed_count: removed.length };
  }
}
