import { addAccountCommands, addManagementKeyCommands } from './accounts/accounts.cli.js';
import { addMemberCommands } from './accounts/members.cli.js';
import { addWorkspaceCommands } from './accounts/workspaces.cli.js';
import { addAuditCommand } from './audit-trail/audit.cli.js';
import { addHelpCommand } from './command-line/help.js';
import type { Program } from './command-line/program.js';
import { addEndUserCommands } from './end-users/end-users.cli.js';
import { keysOfUser } from './keys/keys-of-user.cli.js';
import { addKeyCommands } from './keys/keys.cli.js';
import { addLogCommands } from './operations/log.cli.js';
import { addProjectionCommands } from './operations/projections.cli.js';

/** Adds every command of the command line (docs/api.md 9). */
export function addCommands(program: Program): void {
  addAccountCommands(program);
  addMemberCommands(program, keysOfUser);
  addWorkspaceCommands(program);
  addManagementKeyCommands(program);
  addKeyCommands(program);
  addEndUserCommands(program);
  addProjectionCommands(program);
  addLogCommands(program);
  addAuditCommand(program);
  addHelpCommand(program.root);
}
