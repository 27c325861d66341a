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
import { Operation, page } from '../../../edge/http/openapi/operation.js';
import { ShapePipe } from '../../../edge/http/fields/shape.pipe.js';
import type { Origin } from '../../../kernel/metadata.js';
import { Member, presentMembers, WorkspaceMembersRequest } from '../workspace-members.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { AddWorkspaceMembers } from './add-workspace-members.command.js';

const ADDED = {
  type: 'integer',
  minimum: 0,
  description: 'The number of users who became members.',
};

@ApiTags('Workspaces')
@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class AddWorkspaceMembersController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post(':workspace/members/add')
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation(
    'addWorkspaceMembers',
    'Add members to a workspace, all or none',
    page(Member, { added_count: ADDED }),
  )
  async add(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(WorkspaceMembersRequest)) body: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: Member[]; added_count: number }> {
    const command = new AddWorkspaceMembers(accountId, workspace, body, origin);
    const added = await this.commands.execute(command);
    return { data: presentMembers(added), added_count: added.length };
  }
}
