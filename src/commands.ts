import { addAccountCommands, addManagementKeyCommands } from './accounts/accounts.cli.js';
import { addMemberCommands } from './accounts/members.cli.js';
import { addWorkspaceCommands } from './accounts/workspaces.cli.js';
import { addAuditCommand } from './audit-trail/audit.cli.js';
import type { Program } from './command-line/program.js';
import { addBackupCommand } from './operations/backup/backup.cli.js';
import { addProjectionCommands } from './operations/projections.cli.js';

/** Adds every command of the command line (docs/api.md 9). */
export function addCommands(
  program: Program,
  backup: Parameters<typeof addBackupCommand>[1],
): void {
  addAccountCommands(program);
  addMemberCommands(program);
  addWorkspaceCommands(program);
  addManagementKeyCommands(program);
  addProjectionCommands(program);
  addBackupCommand(program, backup);
  addAuditCommand(program);
}
