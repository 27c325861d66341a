import type Database from 'better-sqlite3';
import { openDatabase } from '../../sqlite/open-database.js';
import type { ReadModelDefinition } from '../read-store.js';
import { Generation } from './generation.js';

const MADE = 'SELECT sql FROM sqlite_schema WHERE type = ? AND sql NOT NULL';

/**
 * Whether a database has the tables that it would be given today, and no index otherwise. Indexes may be missing, as
 * they are put off.
 */
export function isShapedAs(db: Database.Database, definition: ReadModelDefinition): boolean {
  const today = openDatabase(':memory:', {});
  try {
    const name = { number: 0, version: definition.version };
    for (const _ of new Generation(name, today, definition).indexing());
    const indexes = new Set(made(today, 'index'));
    return (
      made(db, 'table').join() === made(today, 'table').join() &&
      made(db, 'index').every((index) => indexes.has(index))
    );
  } finally {
    today.close();
  }
}

/** The statements that made them. */
function made(db: Database.Database, kind: 'table' | 'index'): string[] {
  return db.prepare<[string], string>(MADE).pluck().all(kind).sort();
}
