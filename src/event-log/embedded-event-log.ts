import { existsSync, mkdirSync } from 'node:fs';
import { join } from 'node:path';
import type { EventLog } from './event-log.js';
import type { Role } from './sqlite/role.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';

const FILE = 'events.db';

/** Whether a data directory has an event log. */
export function hasEmbeddedLog(dataDir: string): boolean {
  return existsSync(join(dataDir, FILE));
}

/** The event log in a data directory, both made when they do not exist. @throws naming the file. */
export function openEmbeddedLog(dataDir: string, role: Role): EventLog {
  const file = join(dataDir, FILE);
  try {
    mkdirSync(dataDir, { recursive: true });
    return new SqliteEventLog(file, role);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${String(cause)}`, { cause });
  }
}
