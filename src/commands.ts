import { addAccountCommands, addManagementKeyCommands } from './accounts/accounts.cli.js';
import { addMemberCommands } from './accounts/members.cli.js';
import { addWorkspaceCommands } from './accounts/workspaces.cli.js';
import { addAuditCommand } from './audit-trail/audit.cli.js';
import { addHelpCommand } from './command-line/help.js';
import type { Program } from './command-line/program.js';
import { addEndUserCommands } from './end-users/end-users.cli.js';
import { keysOfUser } from './keys/keys-of-user.cli.js';
import { addKeyCommands } from './keys/keys.cli.js';
import {
  addBackupCommands,
  type Prepare,
  type WithMaintenance,
} from './operations/backup/backup.cli.js';
import { addDoctorCommand } from './operations/doctor/doctor.cli.js';
import type { Folded } from './operations/doctor/read-models-look.js';
import { addLogCommands } from './operations/log.cli.js';
import { addProjectionCommands } from './operations/projections.cli.js';

/** The functions that a command without a session calls to open what it needs. */
export interface Opened {
  readonly prepared: Prepare;
  readonly withMaintenance: WithMaintenance;
  readonly folded: () => Promise<Folded>;
}

/** Adds every command of the command line (docs/api.md 9). */
export function addCommands(program: Program, opened: Opened): void {
  addAccountCommands(program);
  addMemberCommands(program, keysOfUser);
  addWorkspaceCommands(program);
  addManagementKeyCommands(program);
  addKeyCommands(program);
  addEndUserCommands(program);
  addProjectionCommands(program);
  addLogCommands(program);
  addBackupCommands(program, opened.prepared, opened.withMaintenance);
  addDoctorCommand(program, opened.folded);
  addAuditCommand(program);
  addHelpCommand(program.root);
}
