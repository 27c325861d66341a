import { expect, it } from '@jest/globals';
import { openDatabase, requireSqlite } from './open-database.js';

it('the driver has an SQLite that no checkpoint damages: 3.51.3 or later', () => {
  expect(requireSqlite).not.toThrow();
  const db = openDatabase(':memory:', {});
  const [version] = db.prepare<[], [string]>('SELECT sqlite_version()').raw().all();
  db.close();
  const [major = 0, minor = 0, patch = 0] = (version?.[0] ?? '').split('.').map(Number);
  expect((major * 1_000 + minor) * 1_000 + patch).toBeGreaterThanOrEqual(3_051_003);
});
