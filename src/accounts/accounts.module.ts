import { Module } from '@nestjs/common';
import { AccountDirectory } from './account-directory/account-directory.js';
import { Accounts } from './accounts.js';
import { AddMemberHandler } from './add-member/add-member.handler.js';
import { AddWorkspaceMemberHandler } from './add-workspace-member/add-workspace-member.handler.js';
import { CreateAccountHandler } from './create-account/create-account.handler.js';
import { CreateManagementKeyHandler } from './create-management-key/create-management-key.handler.js';
import { CreateWorkspaceHandler } from './create-workspace/create-workspace.handler.js';
import { RemoveMemberHandler } from './remove-member/remove-member.handler.js';
import { RemoveWorkspaceMemberHandler } from './remove-workspace-member/remove-workspace-member.handler.js';
import { RestrictWorkspaceHandler } from './restrict-workspace/restrict-workspace.handler.js';
import { RevokeManagementKeyHandler } from './revoke-management-key/revoke-management-key.handler.js';
import { FirstStart } from './first-start/first-start.js';
import { AccountFacts } from './published/account-facts.js';
import { AccountLookup } from './published/account-lookup.js';

const useCases = [
  CreateAccountHandler,
  AddMemberHandler,
  RemoveMemberHandler,
  CreateWorkspaceHandler,
  RestrictWorkspaceHandler,
  AddWorkspaceMemberHandler,
  RemoveWorkspaceMemberHandler,
  CreateManagementKeyHandler,
  RevokeManagementKeyHandler,
];

/** Accounts, workspaces, members and management keys. */
@Module({
  providers: [Accounts, AccountDirectory, AccountFacts, AccountLookup, FirstStart, ...useCases],
  exports: [AccountDirectory, AccountFacts, AccountLookup, FirstStart],
})
export class AccountsModule {}
