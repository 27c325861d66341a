import { CommanderError } from 'commander';
import { goOnAsOwnerOf, operatorName } from '../../edge/command-line/operator.js';
import type { OperatorSession } from '../../edge/command-line/operator-session.js';
import { type Needs, Program } from '../../edge/command-line/program.js';
import { addCommands } from './commands.js';
import { containsKeyString } from '../../kernel/key-string.js';
import { inWords } from '../../edge/http/answers/in-words.js';
import { warningOfOpenDirectory } from '../process/open-to-others.js';
import type { Variable } from '../settings/settings.js';

const DONE = 0;
const REFUSED = 1;
const WRONG_USAGE = 2;

/** The settings that say where the log and the read models are. */
const PLACES: readonly Variable[] = [
  'DATA_DIR',
  'EVENTSTOREDB_CONNECTION_STRING',
  'EVENTSTOREDB_STREAM_PREFIX',
  'MONGODB_URI',
];

const ON_A_SERVER =
  'the event log is on EventStoreDB, and read models need no backup: use the backup of the server, as docs/operations/backup.md says';

async function withSession<Result>(
  action: (session: OperatorSession) => Promise<Result>,
  { mayCreateLog = false, uses = [] }: Needs,
): Promise<Result> {
  // These imports take time, and help and usage errors need none of them.
  const { inContext } = await import('./cli-context.js');
  const { isEmbedded, settingsOfProcess } = await import('../settings/settings.js');
  const operator = operatorName();
  const settings = settingsOfProcess([...PLACES, ...uses]);
  if (isEmbedded(settings)) await prepare(settings.dataDir, mayCreateLog);
  return inContext(settings, mayCreateLog, operator, action);
}

/** Prepares the data directory of an embedded log for a backup, and returns its path. */
async function ownDataDir(): Promise<string> {
  const { isSet, settingsOfProcess } = await import('../settings/settings.js');
  if (isSet('EVENTSTOREDB_CONNECTION_STRING')) throw new Error(ON_A_SERVER);
  const { dataDir } = settingsOfProcess(['DATA_DIR']);
  await prepare(dataDir);
  return dataDir;
}

/** Makes sure that this process may work with a data directory. */
async function prepare(dataDir: string, mayCreateLog = false): Promise<void> {
  if (!mayCreateLog) await requireLog(dataDir);
  const { requireSqlite } = await import('../../event-sourcing/sqlite/open-database.js');
  requireSqlite();
  warningOfOpenDirectory(dataDir);
  // The new user must be able to read the modules that are imported later, which are only the clients of servers.
  goOnAsOwnerOf(dataDir);
}

/** Refuses a data directory without a log, so that a forgotten DATA_DIR does not look like an empty service. */
async function requireLog(dataDir: string): Promise<void> {
  const { hasEmbeddedLog } = await import('../../event-sourcing/event-log/embedded-event-log.js');
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
 * Runs a command of the command line with the settings and the standard streams of this process (docs/cli.md).
 * @returns the exit code. A failure is reported on standard error and never thrown.
 */
export async function run(args: readonly string[]): Promise<number> {
  const program = new Program(withSession, print);
  addCommands(program, ownDataDir);
  if (args.some(containsKeyString)) {
    process.stderr.write(
      'error: an argument contains a key string; arguments are visible to other users\n',
    );
    return WRONG_USAGE;
  }
  try {
    await program.run(args);
    return program.failed ? REFUSED : DONE;
  } catch (error) {
    // Commander has printed its own errors already. It also throws after `--help` and `--version`.
    if (error instanceof CommanderError) return error.exitCode === 0 ? DONE : WRONG_USAGE;
    process.stderr.write(`keyledger: ${inWords(error)}\n`);
    return REFUSED;
  }
}
