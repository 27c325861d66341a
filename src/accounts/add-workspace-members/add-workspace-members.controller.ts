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
import { AddWorkspaceMembers } from './add-workspace-members.command.js';
import { DescribeAddWorkspaceMembers } from './add-workspace-members.openapi.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class AddWorkspaceMembersController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post(':workspace/members/add')
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeAddWorkspaceMembers()
  async add(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(WorkspaceMembersRequest)) { user_ids }: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: { user_id: string }[]; added_count: number }> {
    const command = new AddWorkspaceMembers(accountId, workspace, user_ids, origin);
    const added = await this.commands.execute(command);
    return { data: added.map((user_id) => ({ user_id })), added_count: added.length };
  }
}
