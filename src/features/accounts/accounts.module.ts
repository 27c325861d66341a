import { type DynamicModule, Module } from '@nestjs/common';
import { AccountDirectory } from './account-directory/account-directory.js';
import { AddMemberHandler } from './add-member/add-member.command.js';
import { AddWorkspaceMembersHandler } from './add-workspace-members/add-workspace-members.command.js';
import { AddWorkspaceMembersController } from './add-workspace-members/add-workspace-members.controller.js';
import { CreateAccountHandler } from './create-account/create-account.command.js';
import { CreateManagementKeyHandler } from './create-management-key/create-management-key.command.js';
import { CreateWorkspaceHandler } from './create-workspace/create-workspace.command.js';
import { CreateWorkspaceController } from './create-workspace/create-workspace.controller.js';
import { DeleteWorkspaceHandler } from './delete-workspace/delete-workspace.command.js';
import { DeleteWorkspaceController } from './delete-workspace/delete-workspace.controller.js';
import { ACCOUNT_QUOTAS, type AccountQuotas } from './domain/quotas.js';
import { FirstStart } from './first-start/first-start.js';
import { ListWorkspaceMembersController } from './list-workspace-members/list-workspace-members.controller.js';
import { ListWorkspaceMembersHandler } from './list-workspace-members/list-workspace-members.query.js';
import { ListWorkspacesController } from './list-workspaces/list-workspaces.controller.js';
import { ListWorkspacesHandler } from './list-workspaces/list-workspaces.query.js';
import { AccountFacts } from './published/account-facts.js';
import { WORKSPACE_DIRECTORY } from './published/workspace-directory.js';
import { ReadWorkspaceController } from './read-workspace/read-workspace.controller.js';
import { ReadWorkspaceHandler } from './read-workspace/read-workspace.query.js';
import { RemoveMemberHandler } from './remove-member/remove-member.command.js';
import { RemoveWorkspaceMembersHandler } from './remove-workspace-members/remove-workspace-members.command.js';
import { RemoveWorkspaceMembersController } from './remove-workspace-members/remove-workspace-members.controller.js';
import { RevokeManagementKeyHandler } from './revoke-management-key/revoke-management-key.command.js';
import { UpdateWorkspaceHandler } from './update-workspace/update-workspace.command.js';
import { UpdateWorkspaceController } from './update-workspace/update-workspace.controller.js';

const handlers = [
  CreateAccountHandler,
  AddMemberHandler,
  RemoveMemberHandler,
  CreateWorkspaceHandler,
  CreateManagementKeyHandler,
  RevokeManagementKeyHandler,
  ListWorkspacesHandler,
  ReadWorkspaceHandler,
  UpdateWorkspaceHandler,
  DeleteWorkspaceHandler,
  ListWorkspaceMembersHandler,
  AddWorkspaceMembersHandler,
  RemoveWorkspaceMembersHandler,
];

const controllers = [
  CreateWorkspaceController,
  ListWorkspacesController,
  ReadWorkspaceController,
  UpdateWorkspaceController,
  DeleteWorkspaceController,
  ListWorkspaceMembersController,
  AddWorkspaceMembersController,
  RemoveWorkspaceMembersController,
];

/** Accounts, workspaces, members and management keys. */
@Module({})
export class AccountsModule {
  /** @param quotas how many objects of each kind an account may have. */
  static register(quotas: AccountQuotas): DynamicModule {
    return {
      module: AccountsModule,
      controllers,
      providers: [
        { provide: ACCOUNT_QUOTAS, useValue: quotas },
        AccountDirectory,
        AccountFacts,
        { provide: WORKSPACE_DIRECTORY, useExisting: AccountDirectory },
        FirstStart,
        ...handlers,
      ],
      exports: [AccountDirectory, AccountFacts, WORKSPACE_DIRECTORY, FirstStart],
    };
  }
}
