import {
  addAccountCommands,
  addManagementKeyCommands,
  addMemberCommands,
} from '../../features/accounts/accounts.cli.js';
import { addWorkspaceCommands } from '../../features/accounts/workspaces.cli.js';
import { addAuditCommand } from '../../features/audit-trail/audit.cli.js';
import { addMintCommand } from '../../features/keys/mint.cli.js';
import type { Program } from '../../edge/command-line/program.js';
import { addBackupCommand } from '../maintenance/backup/backup.cli.js';
import { addProjectionCommands } from '../maintenance/projections.cli.js';

export function addCommands(
  program: Program,
  prepareForBackup: Parameters<typeof addBackupCommand>[1],
): void {
  addAccountCommands(program);
  addMemberCommands(program);
  addWorkspaceCommands(program);
  addManagementKeyCommands(program);
  addMintCommand(program);
  addProjectionCommands(program);
  addBackupCommand(program, prepareForBackup);
  addAuditCommand(program);
}
