import { CommanderError } from 'commander';
import { goOnAsOwnerOf, operatorName } from './command-line/operator.js';
import type { OperatorSession } from './command-line/operator-session.js';
import { Program, type Purpose } from './command-line/program.js';
import { addCommands } from './commands.js';
import { containsKeyString } from './key-strings/key-string.js';
import { inWords } from './http/in-words.js';
import type { Folded } from './operations/doctor/read-models-look.js';
import { warningOfOpenDirectory } from './process/open-to-others.js';
import type { Maintenance } from './projections/maintenance.js';
import type { Settings } from './settings/settings.js';

const DONE = 0;
const REFUSED = 1;
const WRONG_USAGE = 2;

/**
 * Reads the settings, and makes sure that a command may work with the data directory.
 * @param needsLog whether to refuse a data directory without a log.
 */
async function prepared(needsLog: boolean): Promise<Settings> {
  // These imports take time, and help and usage errors need none of them.
  const { requireFilesOfService } = await import('./process/data-directory-lock.js');
  const { settingsOfProcess, isEmbedded } = await import('./settings/settings.js');
  const { requireSqlite } = await import('./sqlite/open-database.js');
  const settings = settingsOfProcess();
  if (!isEmbedded(settings)) return settings;
  if (needsLog) await requireLog(settings.dataDir);
  requireSqlite();
  warningOfOpenDirectory(settings.dataDir);
  // The new user must be able to read the modules that are imported later, which are only the clients of servers.
  goOnAsOwnerOf(settings.dataDir);
  requireFilesOfService(settings.dataDir);
  return settings;
}

async function withSession<Result>(
  action: (session: OperatorSession) => Promise<Result>,
  purpose: Purpose,
): Promise<Result> {
  const { inContext } = await import('./cli-context.js');
  const { examined } = await import('./process/examined-directory.js');
  const { isEmbedded } = await import('./settings/settings.js');
  const operator = operatorName();
  const settings = await prepared(purpose !== 'begins');
  if (purpose !== 'examines' || !isEmbedded(settings)) {
    return inContext(settings, purpose, operator, action);
  }
  const { dataDir } = settings;
  const directory = examined(dataDir);
  if (directory.isCopy) process.stderr.write(`${dataDir} is not writable: examining a copy\n`);
  try {
    return await inContext({ ...settings, dataDir: directory.path }, purpose, operator, action);
  } finally {
    directory.dispose();
  }
}

/** Opens the maintenance of read models for a command that has prepared the data directory, and runs an action. */
async function withMaintenance<Result>(
  settings: Settings,
  action: (maintenance: Maintenance) => Promise<Result>,
): Promise<Result> {
  const { inContext } = await import('./cli-context.js');
  const { Maintenance } = await import('./projections/maintenance.js');
  return inContext(settings, 'changes', operatorName(), (session) =>
    action(session.get(Maintenance)),
  );
}

async function folded(): Promise<Folded> {
  const { EVENTS, PROJECTIONS } = await import('./events-and-projections.js');
  return { events: EVENTS, projections: PROJECTIONS };
}

/** Refuses a data directory without a log, so that a forgotten DATA_DIR does not look like an empty service. */
async function requireLog(dataDir: string): Promise<void> {
  const { hasEmbeddedLog } = await import('./event-log/embedded-event-log.js');
  if (hasEmbeddedLog(dataDir)) return;
  throw new Error(
    `there is no event log in ${dataDir}; set DATA_DIR to the data directory of the service`,
  );
}

function print(text: string): Promise<void> {
  return new Promise((resolve, reject) => {
    process.stdout.write(text, (error) => {
      if (error) reject(error);
      else resolve();
    });
  });
}

/**
 * Runs a command of the command line with the settings and the standard streams of this process (docs/api.md 9).
 * @returns the exit code. A failure is reported on standard error and never thrown.
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Program(withSession, print);
  addCommands(program, { prepared, withMaintenance, folded });
  if (args.some(containsKeyString)) {
    process.stderr.write(
      'error: an argument contains a key string; arguments are visible to other users\n',
    );
    return WRONG_USAGE;
  }
  try {
    await program.root.parseAsync(args, { from: 'user' });
    return program.failed ? REFUSED : DONE;
  } catch (error) {
    // Commander has printed its own errors already. It also throws after `--help` and `--version`.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    process.stderr.write(`keyledger: ${inWords(error)}\n`);
    return REFUSED;
  }
}
