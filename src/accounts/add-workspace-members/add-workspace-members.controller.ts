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
import { quotaRefusal } from '../../http/described-refusals.js';
import { JsonBodyInterceptor } from '../../http/json-body.interceptor.js';
import { ManagementKeyGuard } from '../../http/management-key.guard.js';
import { DescribeOperation } from '../../http/openapi.js';
import { ShapePipe } from '../../http/shape.pipe.js';
import type { Origin } from '../../kernel/metadata.js';
import {
  DESCRIBED_MEMBERS_REQUEST,
  type MemberRecord,
  MEMBERS_SCHEMA,
  MEMBERSHIP_REFUSALS,
  presentMembers,
  WorkspaceMembersRequest,
} from '../workspace-members.js';
import { WORKSPACE_IN_PATH } from '../workspace-record.js';
import { AddWorkspaceMembers } from './add-workspace-members.command.js';

@Controller('v1/workspaces')
@UseGuards(ManagementKeyGuard)
export class AddWorkspaceMembersController {
  constructor(@Inject(CommandBus) private readonly commands: CommandBus) {}

  @Post(':workspace/members/add')
  @HttpCode(200)
  @UseInterceptors(JsonBodyInterceptor)
  @DescribeOperation({
    tag: 'Workspaces',
    id: 'addWorkspaceMembers',
    summary: 'Add members to a workspace',
    description:
      'Adds all users or none. A user who is already a member stays a member and is not counted.',
    path: WORKSPACE_IN_PATH,
    request: DESCRIBED_MEMBERS_REQUEST,
    success: {
      status: 200,
      description: 'The users who became members.',
      schema: {
        type: 'object',
        required: ['data', 'added_count'],
        properties: {
          data: MEMBERS_SCHEMA,
          added_count: {
            type: 'integer',
            minimum: 0,
            description: 'The number of users who became members.',
          },
        },
      },
      example: { data: presentMembers(['user-grace']), added_count: 1 },
    },
    refusals: [...MEMBERSHIP_REFUSALS, quotaRefusal('workspace-members', 100_000)],
  })
  async add(
    @Param('workspace') workspace: string,
    @Body(new ShapePipe(WorkspaceMembersRequest)) body: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: MemberRecord[]; added_count: number }> {
    const command = new AddWorkspaceMembers(accountId, workspace, body, origin);
    const added = await this.commands.execute(command);
    return { data: presentMembers(added), added_count: added.length };
  }
}
