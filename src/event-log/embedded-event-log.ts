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

/**
 * The event log in a data directory, both made when they do not exist.
 * @param unsettled told, before any answer, that the disk fails and that the outcome of an append stays unknown.
 * @throws naming the file.
 */
export function openEmbeddedLog(
  dataDir: string,
  role: Role,
  unsettled?: (fault: unknown) => void,
): EventLog {
  const file = join(dataDir, FILE);
  try {
    mkdirSync(dataDir, { recursive: true });
    return new SqliteEventLog(file, role, unsettled);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${String(cause)}`, { cause });
  }
}
