import { describe, expect, it } from '@jest/globals';
import { requireSound, requireSqlite } from './open-database.js';

describe('SQLite', () => {
  it('is one without the fault of checkpoints beside commits', () => {
    expect(requireSqlite).not.toThrow();
  });

  it.each(['3.51.3', '3.51.10', '3.52.0', '4.0.0', '3.51.3.1'])('%s is taken', (version) => {
    expect(() => requireSound(version)).not.toThrow();
  });

  it.each(['3.51.2', '3.50.4', '3.9.0', '2.99.99', ''])(
    '"%s" is refused, with the cure',
    (version) => {
      expect(() => requireSound(version)).toThrow(/must be 3\.51\.3 or later; run npm ci$/);
    },
  );
});
