import { expect, it } from '@jest/globals';
import { openDatabase } from './open-database.js';

/** Before it a write and a checkpoint at once can spoil a database, in the moment in which its write-ahead log begins anew. */
const SOUND = [3, 51, 3];

it('SQLite is at least 3.51.3, as the write-ahead log is taken over beside commits', () => {
  const db = openDatabase(':memory:', {});
  const version = db.prepare<[], string>('SELECT sqlite_version()').pluck().get() ?? '';
  db.close();
  const numbers = version.split('.').map(Number);
  const firstOther = numbers.findIndex((number, place) => number !== SOUND[place]);
  expect(numbers[firstOther] ?? 0).toBeGreaterThanOrEqual(SOUND[firstOther] ?? 0);
});
