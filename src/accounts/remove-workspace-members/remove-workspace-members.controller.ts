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
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import {
  DESCRIBED_MEMBERS_REQUEST,
  MEMBERSHIP_REFUSALS,
  WorkspaceMembersRequest,
} from '../workspace-members.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { RemoveWorkspaceMembers } from './remove-workspace-members.command.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class RemoveWorkspaceMembersController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post(':workspace/members/remove')
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'removeWorkspaceMembers',
    summary: 'Remove members from a workspace',
    description:
      'Removes all users or none. A user who is no member is not counted. Keys stay in the workspace.',
    path: WORKSPACE_IN_PATH,
    request: DESCRIBED_MEMBERS_REQUEST,
    success: {
      status: 200,
      description: 'How many memberships ended.',
      schema: {
        type: 'object',
        required: ['removed_count'],
        properties: {
          removed_count: {
            type: 'integer',
            minimum: 0,
            description: 'The number of users who left.',
          },
        },
      },
      example: { removed_count: 1 },
    },
    refusals: MEMBERSHIP_REFUSALS,
  })
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
