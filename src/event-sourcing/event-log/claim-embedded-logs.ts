import { randomUUID } from 'node:crypto';
import { appendFileSync, mkdirSync, statSync } from 'node:fs';
import type Database from 'better-sqlite3';
import { messageOf } from '../../kernel/errors.js';
import { useDatabase, writeAheadBytes } from '../sqlite/open-database.js';
import { embeddedLogFile } from './embedded-event-log.js';
import { SCHEMA } from './sqlite/schema.js';

/** The logs of a service by name. A log with more events than a first start writes was in use. */
type Logs = Readonly<Record<string, { readonly log?: string; readonly firstEvents: number }>>;

type Identity = Readonly<Record<'log' | 'installation', string>>;

interface Found {
  readonly file: string;
  readonly isThere: boolean;
  /** The identity that the file contains. Undefined before the file was claimed. */
  readonly identity: Identity | undefined;
  readonly events: number;
  /** The time of the last event, if it can be read. */
  readonly lastAt: string | null;
}

/** `beginsAnew`: the log became a new one beside another log that was in use. */
export type ClaimedLog = Found & { readonly beginsAnew: boolean };

/**
 * Makes sure that each file in a data directory is the log that its name says, all of one
 * installation. Makes files that a first start left out when cut off, before any append.
 * @param mayBegin whether a directory without the first log gets one.
 * @param mayBeginAnew whether an empty file, which somebody put into the place of a log while the
 * other log was in use, becomes a new log.
 * @throws an Error that names the file that was lost, or is another one.
 */
export function claimEmbeddedLogs(
  dataDir: string,
  logs: Logs,
  { mayBegin, mayBeginAnew }: Readonly<Record<'mayBegin' | 'mayBeginAnew', boolean>>,
): ClaimedLog[] {
  const found = Object.entries(logs).map(([name, { log, firstEvents }]) => {
    const content = lookAt(name, embeddedLogFile(dataDir, log));
    return { name, isUsed: content.events > firstEvents, ...content };
  });
  const used = found.find(({ isUsed }) => isUsed);
  const isEmpty = ({ identity, events }: Found): boolean => !identity && events === 0;
  const lost = used && found.find((one) => isEmpty(one) && !(one.isThere && mayBeginAnew));
  if (lost) {
    throw new Error(
      `the event log ${lost.file} was lost, but ${used.file} is there: restore both from one backup, or, to begin with a new event log in its place, create an empty file of that name and start the service`,
    );
  }
  if (!mayBegin && found[0]?.isThere === false) {
    throw new Error(
      `there is no event log in ${dataDir}; set DATA_DIR to the data directory of the service`,
    );
  }
  const known = found.find(({ identity }) => identity)?.identity;
  let installation = known?.installation ?? randomUUID();
  const other = found.find(({ identity }) => identity && identity.installation !== installation);
  if (other) {
    throw new Error(
      `the event log ${other.file} is of another installation than the other log: restore both from one backup`,
    );
  }
  mkdirSync(dataDir, { recursive: true });
  for (const { name, file, identity } of found) {
    if (!identity) installation = claim(file, name, installation);
  }
  return found.map((one) => ({ ...one, beginsAnew: used !== undefined && isEmpty(one) }));
}

/** @throws an Error that names the file when it is no log, or not the log of that name. */
function lookAt(name: string, file: string): Found {
  const size = statSync(file, { throwIfNoEntry: false })?.size;
  const isThere = size !== undefined;
  const empty = { file, isThere, identity: undefined, events: 0, lastAt: null };
  if (!size) {
    // SQLite would remove the write-ahead log of an empty file.
    if (writeAheadBytes(file) === 0) return empty;
    throw new Error(
      `the event log ${file} is missing, but ${file}-wal, which holds its last events, is there: restore both together`,
    );
  }
  return inLog(file, (db) => {
    const tables = db.prepare<[], string>('SELECT name FROM sqlite_schema').pluck().all();
    if (tables.length === 0) return empty;
    if (!tables.includes('identity')) throw new Error('it is not an event log of this service');
    const identity = db.prepare<[], Identity>('SELECT log, installation FROM identity').get();
    if (identity && identity.log !== name) throw new Error(`it is the ${identity.log} log`);
    return { ...empty, identity, ...db.prepare<[], Pick<Found, 'events' | 'lastAt'>>(LAST).get() };
  });
}

const LAST = `SELECT position AS events,
  CASE WHEN json_valid(metadata) THEN metadata ->> '$.occurred_at' END AS lastAt
  FROM events ORDER BY position DESC LIMIT 1`;

/** Writes a log's identity, unless another process just did. @returns the log's installation. */
function claim(file: string, log: string, installation: string): string {
  appendFileSync(file, '', { mode: 0o600 });
  return inLog(file, (db) => {
    db.exec(`BEGIN IMMEDIATE; ${SCHEMA}`);
    db.prepare('INSERT INTO identity SELECT ?, ? WHERE NOT EXISTS (SELECT 1 FROM identity)').run(
      log,
      installation,
    );
    db.exec('COMMIT');
    const stored = db.prepare<[], string>('SELECT installation FROM identity').pluck().get();
    return stored ?? installation;
  });
}

function inLog<Result>(file: string, work: (db: Database.Database) => Result): Result {
  try {
    return useDatabase(file, work);
  } catch (cause) {
    throw new Error(`the event log ${file} cannot be opened: ${messageOf(cause)}`, { cause });
  }
}
