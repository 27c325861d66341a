import { NestFactory } from '@nestjs/core';
import { switchToOwnerOf, operatorName } from '../../edge/command-line/operator.js';
import { OperatorSession } from '../../edge/command-line/operator-session.js';
import type { Needs } from '../../edge/command-line/program.js';
import { claimEmbeddedLogs } from '../../event-sourcing/event-log/claim-embedded-logs.js';
import { type Ledger, OPEN_LEDGERS } from '../../event-sourcing/ledger.js';
import { LEDGERS } from '../ledgers/ledgers.js';
import { requireSqlite } from '../../event-sourcing/sqlite/open-database.js';
import { checkOpenToOthers } from '../process/open-to-others.js';
import { isEmbedded, isSet, readProcessSettings, type Variable } from '../settings/settings.js';
import { AppModule } from './app.module.js';

/** The settings that say where the log and the read models are. */
const PLACES: readonly Variable[] = [
  'DATA_DIR',
  'EVENTSTOREDB_CONNECTION_STRING',
  'EVENTSTOREDB_STREAM_PREFIX',
  'MONGODB_URI',
];

/** Opens the parts of the service for the action of a command, and closes them after it. */
export async function withSession<Result>(
  action: (session: OperatorSession) => Promise<Result>,
  { mayCreateLog = false, uses = [] }: Needs,
): Promise<Result> {
  const operator = operatorName();
  const settings = readProcessSettings([...PLACES, ...uses]);
  if (isEmbedded(settings)) prepare(settings.DATA_DIR, mayCreateLog);
  // A command catches its projections up itself, so its reads need not wait.
  const module = AppModule.register({ ...settings, READ_YOUR_WRITES_TIMEOUT: 0 });
  const context = await NestFactory.createApplicationContext(module, {
    logger: false,
    abortOnError: false,
  });
  try {
    if (mayCreateLog) {
      const ledgers = context.get<readonly Ledger[]>(OPEN_LEDGERS, { strict: false });
      for (const { maintenance } of ledgers) await maintenance.refuseLostLog();
    }
    return await action(new OperatorSession(context, operator));
  } finally {
    await context.close();
  }
}

/** Prepares the data directory of an embedded log for a backup, and returns its path. */
export async function prepareForBackup(): Promise<string> {
  if (isSet('EVENTSTOREDB_CONNECTION_STRING')) {
    throw new Error(
      'the event log is on EventStoreDB, and read models need no backup: use the backup of the server, as docs/operations/backup.md says',
    );
  }
  const { DATA_DIR: dataDir } = readProcessSettings(['DATA_DIR']);
  prepare(dataDir, false);
  return dataDir;
}

/** Makes sure that this process may work with a data directory, and that its logs are there. */
function prepare(dataDir: string, mayCreateLog: boolean): void {
  requireSqlite();
  checkOpenToOthers(dataDir);
  // The new user must be able to read the modules imported later: the clients of servers.
  switchToOwnerOf(dataDir);
  // A forgotten DATA_DIR must not look like an empty service.
  claimEmbeddedLogs(dataDir, LEDGERS, { mayBegin: mayCreateLog, mayBeginAnew: false });
}
