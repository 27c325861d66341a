import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import { guarded } from './guarded.js';

function failing(code: string): () => never {
  const error = Object.assign(new Error('of SQLite'), { code });
  return () => {
    throw error;
  };
}

describe('A read model is unavailable', () => {
  it.each(['SQLITE_IOERR_READ', 'SQLITE_FULL', 'SQLITE_CORRUPT'])(
    'when its files fail: %s',
    (code) => {
      expect(() => guarded(failing(code))).toThrow(Unavailable);
    },
  );

  it('not when a constraint refuses what was written', () => {
    expect(() => guarded(failing('SQLITE_CONSTRAINT_UNIQUE'))).toThrow('of SQLite');
    expect(() => guarded(failing('SQLITE_CONSTRAINT_UNIQUE'))).not.toThrow(Unavailable);
  });
});
