import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../../kernel/errors.js';
import { withNamespaceFaults } from './namespace-faults.js';

function failing(code: string): () => never {
  const error = Object.assign(new Error('of SQLite'), { code });
  return () => {
    throw error;
  };
}

describe('a namespace', () => {
  it.each(['SQLITE_IOERR_READ', 'SQLITE_FULL', 'SQLITE_BUSY'])(
    'is unavailable when its files fail: %s',
    (code) => {
      expect(() => withNamespaceFaults('things', failing(code))).toThrow(Unavailable);
    },
  );

  const damaged =
    /^read store unavailable: the data of things.g1 is damaged .* rebuild things, or /;

  it.each(['SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB', 'SQLITE_CONSTRAINT_UNIQUE'])(
    'is unavailable when its files are damaged, and says what to do: %s',
    (code) => {
      const reading = (): unknown => withNamespaceFaults('things.g1', failing(code));
      expect(reading).toThrow(Unavailable);
      expect(reading).toThrow(damaged);
    },
  );

  it('is damaged when a document is no JSON', () => {
    expect(() => withNamespaceFaults('things.g1', () => JSON.parse('{') as never)).toThrow(damaged);
  });
});
