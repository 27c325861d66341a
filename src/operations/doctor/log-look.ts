import { statSync } from 'node:fs';
import { filesOfLog, hasEmbeddedLog } from '../../event-log/embedded-event-log.js';
import { lookAtEmbeddedLog } from '../../event-log/embedded-log-file.js';
import { isServed, requireFilesOfService } from '../../process/data-directory-lock.js';
import { holderOf } from '../../process/data-directory-holder.js';
import { examined } from '../../process/examined-directory.js';
import { requireSqlite } from '../../sqlite/open-database.js';
import { type Finding, findingsOf, looked } from './finding.js';

const findings = findingsOf('event log');
const { ok, warn, fail } = findings;

const LONG_WRITE_AHEAD_BYTES = 256_000_000;
const RESTORE = 'restore a backup (docs/runbooks/restore-the-event-log.md)';
/** The advice when the log cannot be read. The cause may be access rights or a lock, and the log may be intact. */
const UNREADABLE = `run doctor as the user of the service; only if the file itself is damaged, ${RESTORE}`;

/** The findings about the embedded log, and whether read models can be compared with the log. */
export interface LookedAtLog {
  readonly findings: readonly Finding[];
  readonly isReadable: boolean;
}

/** Looks at the embedded log of a data directory. A service may run on the directory meanwhile. */
export async function lookAtEmbeddedLogOf(dataDir: string): Promise<LookedAtLog> {
  const driver = await looked(findings, 'run npm rebuild better-sqlite3, or npm ci', () => {
    requireSqlite();
    return [];
  });
  if (driver.length > 0) return { findings: driver, isReadable: false };
  const around = [
    ...(await looked(findings, `run doctor as the user of the service`, () => holder(dataDir))),
    ...(await looked(findings, 'look at the disk', () => writeAhead(dataDir))),
  ];
  // When a file replaced the log of a running service, SQLite would apply the service's write-ahead log to that file.
  if (around.some(({ state }) => state === 'fail')) return { findings: around, isReadable: false };
  const missing = await looked(findings, 'look at the disk', () => missingLog(dataDir));
  if (missing.length > 0) return { findings: [...around, ...missing], isReadable: false };
  let isReadable = false;
  const content = await looked(findings, UNREADABLE, async () => {
    const directory = examined(dataDir);
    try {
      const { events, damage, mismatches, isOutdated } = await lookAtEmbeddedLog(directory.path);
      isReadable = damage.length === 0 && !isOutdated;
      const wrong = [
        ...damage.map((line) => fail(`events.db is damaged: ${line}`, RESTORE)),
        ...(mismatches > 0
          ? [
              fail(
                `${mismatches} of the last events do not match their hashes`,
                `log verify names the first; ${RESTORE}`,
              ),
            ]
          : []),
      ];
      if (wrong.length > 0) return wrong;
      return [
        ok(`events.db has ${events} events, and the last 1000 match their hashes`),
        ...(isOutdated
          ? [warn('an earlier release made its indexes', 'start the service: it makes them again')]
          : []),
      ];
    } finally {
      directory.dispose();
    }
  });
  return { findings: [...around, ...content], isReadable };
}

function holder(dataDir: string): Finding[] {
  requireFilesOfService(dataDir);
  if (!isServed(dataDir)) return [ok('no service runs on the data directory')];
  const named = holderOf(dataDir);
  const who = named ? `process ${named.pid} on ${named.host}` : 'a process';
  return [ok(`a service runs on the data directory: ${who}`)];
}

function writeAhead(dataDir: string): Finding[] {
  const [, file = ''] = filesOfLog(dataDir);
  const bytes = statSync(file, { throwIfNoEntry: false })?.size ?? 0;
  const found = `events.db-wal has ${bytes} bytes`;
  if (bytes >= LONG_WRITE_AHEAD_BYTES) {
    const todo =
      'end the reader that keeps it, such as a backup or an open shell (fuser events.db)';
    return [warn(found, todo)];
  }
  return [ok(bytes === 0 ? found : `${found}: it belongs to events.db, and is copied with it`)];
}

function missingLog(dataDir: string): Finding[] {
  if (hasEmbeddedLog(dataDir)) return [];
  const [file = '', writeAheadFile = ''] = filesOfLog(dataDir);
  if (statSync(writeAheadFile, { throwIfNoEntry: false }) !== undefined) {
    return [
      fail(
        `${file} is gone, and ${writeAheadFile} is left`,
        `put both back together, or ${RESTORE}`,
      ),
    ];
  }
  const todo = `set DATA_DIR to the data directory of the service; if the log is lost, ${RESTORE}`;
  return [warn(`there is no event log in ${dataDir}`, todo)];
}
