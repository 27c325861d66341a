import type Database from 'better-sqlite3';

/** As many faults of one kind tell enough. */
const MOST = 5;

/** `whole` compares the index with the table as well, and looks into each stream. `quick` takes a quarter of the time. */
export type Thoroughness = 'whole' | 'quick';

/**
 * Finds what a copy lacks that was taken wrongly, and damage of a disk: broken pages, an index that does not match, and events
 * that are missing. The log numbers its events and those of each stream without a gap.
 * @throws an error of SQLite where that cannot be read.
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
