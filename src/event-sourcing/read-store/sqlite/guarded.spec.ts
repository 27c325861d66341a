import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../../kernel/errors.js';
import { DamagedNamespaceError } from '../read-store.js';
import { guarded } from './guarded.js';

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
      expect(() => guarded('things', failing(code))).toThrow(Unavailable);
    },
  );

  it.each(['SQLITE_CORRUPT_INDEX', 'SQLITE_NOTADB', 'SQLITE_CONSTRAINT_UNIQUE'])(
    'is damaged when its files are: %s',
    (code) => {
      expect(() => guarded('things', failing(code))).toThrow(DamagedNamespaceError);
    },
  );

  it('is damaged when a document is no JSON', () => {
    expect(() => guarded('things', () => JSON.parse('{') as never)).toThrow(DamagedNamespaceError);
  });
});
