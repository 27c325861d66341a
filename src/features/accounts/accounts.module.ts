import { Global, Module } from '@nestjs/common';
import { AccountDirectory } from './account-directory/account-directory.js';
import * as accounts from './accounts.commands.js';
import { FirstStart } from './first-start/first-start.js';
import { ManagementKeysController } from './management-keys.controller.js';
import { MembersController } from './members.controller.js';
import { AccountFacts } from './published/account-facts.js';
import * as managementKeys from './management-keys.commands.js';
import * as workspaces from './workspaces.commands.js';
import { WorkspacesController } from './workspaces.controller.js';

@Global()
@Module({
  controllers: [WorkspacesController, ManagementKeysController, MembersController],
  providers: [
    AccountDirectory,
    AccountFacts,
    FirstStart,
    accounts.CreateAccountHandler,
    accounts.AddMemberHandler,
    accounts.RemoveMemberHandler,
    managementKeys.CreateManagementKeyHandler,
    managementKeys.RevokeManagementKeyHandler,
    workspaces.CreateWorkspaceHandler,
    workspaces.UpdateWorkspaceHandler,
    workspaces.DeleteWorkspaceHandler,
    workspaces.ChangeWorkspaceMembersHandler,
  ],
  exports: [AccountDirectory, AccountFacts, FirstStart],
})
export class AccountsModule {}
