import { Controller, Delete, Get, Param, Patch, Post } from '@nestjs/common';
import { CommandBus } from '@nestjs/cqrs';
import { ApiParam, ApiTags } from '@nestjs/swagger';
import { type Caller, CurrentCaller, RequestOrigin } from '../../edge/http/callers/caller.js';
import { ListQuery } from '../../edge/http/fields/list-query.js';
import { pagingOf } from '../../edge/http/fields/paging.js';
import { LenientBody } from '../../edge/http/fields/lenient-body.js';
import { Refuses } from '../../edge/http/openapi/errors.js';
import * as answer from '../../edge/http/openapi/answer.js';
import { Operation } from '../../edge/http/openapi/operation.js';
import { Refusal } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import type { Read } from '../../kernel/read.js';
import { AccountDirectory } from './account-directory/account-directory.js';
import type { WorkspaceRecord } from './domain/workspace.js';
import {
  CreateWorkspaceRequest,
  ListWorkspaceMembersRequest,
  ListWorkspacesRequest,
  Member,
  presentWorkspace,
  UpdateWorkspaceRequest,
  WORKSPACE_IN_PATH,
  WorkspaceMembersRequest,
  WorkspaceShape,
} from './workspace.fields.js';
import {
  ChangeWorkspaceMembers,
  CreateWorkspace,
  DeleteWorkspace,
  UpdateWorkspace,
} from './workspaces.commands.js';

const REMOVED = {
  type: 'integer',
  minimum: 0,
  description: 'The number of users that were removed.',
};
const ADDED = { ...REMOVED, description: 'The number of users that became members.' };

/** Workspaces and their members (docs/api.md 2.6 and 2.7). */
@ApiTags('Workspaces')
@Controller('v1/workspaces')
export class WorkspacesController {
  constructor(
    private readonly commands: CommandBus,
    private readonly directory: AccountDirectory,
  ) {}

  @Post()
  @Operation('createWorkspace', 'Create a workspace', answer.one(WorkspaceShape, 201))
  @Refuses(['workspace-slug-taken', 'quota-exceeded'])
  async create(
    @LenientBody(CreateWorkspaceRequest) body: CreateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    const workspace = await this.commands.execute(new CreateWorkspace(accountId, body, origin));
    return { data: presentWorkspace(workspace) };
  }

  @Get()
  @Operation('listWorkspaces', 'List workspaces, oldest first', answer.page(WorkspaceShape))
  async list(
    @ListQuery(ListWorkspacesRequest) query: ListWorkspacesRequest,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: WorkspaceRecord[]; total_count: number }>> {
    const { found, isLate } = await this.directory.workspaces(accountId, pagingOf(query));
    const data = found.documents.map(presentWorkspace);
    return { found: { data, total_count: found.total }, isLate };
  }

  @Get(':workspace')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('getWorkspace', 'Get a workspace', answer.one(WorkspaceShape))
  async read(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: WorkspaceRecord }>> {
    const { found, isLate } = await this.directory.workspaceOf(accountId, workspace);
    return { found: { data: presentWorkspace(found) }, isLate };
  }

  @Patch(':workspace')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation(
    'updateWorkspace',
    'Change the given fields of a workspace',
    answer.one(WorkspaceShape),
  )
  @Refuses(['no-update-fields', 'workspace-slug-taken'])
  async update(
    @Param('workspace') workspace: string,
    @LenientBody(UpdateWorkspaceRequest) body: UpdateWorkspaceRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: WorkspaceRecord }> {
    if (Object.keys(body).length === 0) throw new Refusal('no-update-fields');
    const command = new UpdateWorkspace(accountId, workspace, body, origin);
    return { data: presentWorkspace(await this.commands.execute(command)) };
  }

  @Delete(':workspace')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('deleteWorkspace', 'Delete a workspace without keys permanently', answer.DELETED)
  @Refuses(['default-workspace-not-deletable', 'workspace-holds-keys'])
  async delete(
    @Param('workspace') workspace: string,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ deleted: true }> {
    await this.commands.execute(new DeleteWorkspace(accountId, workspace, origin));
    return { deleted: true };
  }

  @Get(':workspace/members')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation('listWorkspaceMembers', 'List the members of a workspace', answer.page(Member))
  async listMembers(
    @Param('workspace') workspace: string,
    @ListQuery(ListWorkspaceMembersRequest) query: ListWorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
  ): Promise<Read<{ data: Member[]; total_count: number }>> {
    const paging = pagingOf(query);
    const { found, isLate } = await this.directory.workspaceMembers(accountId, workspace, paging);
    const data = found.documents.map(({ user_id }) => ({ user_id }));
    return { found: { data, total_count: found.total }, isLate };
  }

  @Post(':workspace/members/add')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation(
    'addWorkspaceMembers',
    'Add members to a workspace, all or none',
    answer.list(Member, { added_count: ADDED }),
  )
  @Refuses(['default-workspace-members-fixed', 'member-unknown', 'quota-exceeded'])
  async addMembers(
    @Param('workspace') workspace: string,
    @LenientBody(WorkspaceMembersRequest) body: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ data: Member[]; added_count: number }> {
    const command = new ChangeWorkspaceMembers('add', accountId, workspace, body, origin);
    const added = await this.commands.execute(command);
    return { data: added.map((user_id) => ({ user_id })), added_count: added.length };
  }

  @Post(':workspace/members/remove')
  @ApiParam(WORKSPACE_IN_PATH)
  @Operation(
    'removeWorkspaceMembers',
    'Remove members from a workspace, all or none',
    answer.object({ removed_count: REMOVED }),
  )
  @Refuses(['default-workspace-members-fixed', 'member-unknown'])
  async removeMembers(
    @Param('workspace') workspace: string,
    @LenientBody(WorkspaceMembersRequest) body: WorkspaceMembersRequest,
    @CurrentCaller() { accountId }: Caller,
    @RequestOrigin() origin: Origin,
  ): Promise<{ removed_count: number }> {
    const command = new ChangeWorkspaceMembers('remove', accountId, workspace, body, origin);
    const removed = await this.commands.execute(command);
    return { removed_count: removed.length };
  }
}
