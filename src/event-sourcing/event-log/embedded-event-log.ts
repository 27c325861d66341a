import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { messageOf } from '../../kernel/errors.js';
import type { EventLog } from './event-log.js';
import type { EmbeddedLogOptions } from './connection-roles.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';

/** The name of the first log of a service, which is also that of its file. */
const FIRST_LOG = 'events';

export function embeddedLogFile(dataDir: string, log = FIRST_LOG): string {
  return join(dataDir, `${log}.db`);
}

/** Opens a log in a data directory. Creates both if missing. @throws an Error naming the file. */
export function openEmbeddedLog(
  dataDir: string,
  { role, onUnsettled }: EmbeddedLogOptions = {},
  log = FIRST_LOG,
  part?: string,
): EventLog {
  const file = embeddedLogFile(dataDir, log);
  try {
    mkdirSync(dataDir, { recursive: true });
    return new SqliteEventLog(file, role, onUnsettled, part);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${messageOf(cause)}`, { cause });
  }
}
