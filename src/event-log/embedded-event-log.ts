import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventLog } from './event-log.js';
import type { Role } from './sqlite/role.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';

/** The event log in a data directory, both made when they do not exist. @throws naming the file. */
export function openEmbeddedLog(dataDir: string, role: Role): EventLog {
  const file = join(dataDir, 'events.db');
  try {
    mkdirSync(dataDir, { recursive: true });
    return new SqliteEventLog(file, role);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${String(cause)}`, { cause });
  }
}
