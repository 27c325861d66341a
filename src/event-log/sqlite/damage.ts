import type Database from 'better-sqlite3';

/** The greatest number of faults of one kind that are reported. */
const MOST = 5;

/** `whole` also compares the index with the table, and looks for gaps in each stream. `quick` is four times as fast. */
export type Thoroughness = 'whole' | 'quick';

/**
 * Finds damage by a disk, or by a copy that was made wrongly: broken pages, an index that does not match, and missing
 * events. A gap shows a missing event, because the log and each stream number their events without gaps.
 * @throws an error of SQLite when the table of events cannot be read.
 */
export function damageIn(db: Database.Database, thoroughness: Thoroughness): string[] {
  const check = thoroughness === 'whole' ? 'integrity_check' : 'quick_check';
  const pages = db.prepare<[], string>(`PRAGMA ${check}(${MOST})`).pluck().all();
  const found = pages
    .flatMap((fault) => fault.split('\n'))
    .filter((line) => line !== 'ok' && !line.startsWith('***'));
  const [count = 0, last = 0] =
    db
      .prepare<[], [number, number]>('SELECT count(*), coalesce(max(position), 0) FROM events')
      .raw()
      .get() ?? [];
  if (count !== last) found.push(`${last - count} events are missing before position ${last}`);
  if (thoroughness === 'quick') return found;
  const broken = db
    .prepare<[], string>(
      `SELECT stream FROM events GROUP BY stream
       HAVING min(revision) <> 0 OR max(revision) + 1 <> count(*) LIMIT ${MOST}`,
    )
    .pluck()
    .all();
  return [...found, ...broken.map((stream) => `events of the stream ${stream} are missing`)];
}
