import { describe, expect, it } from '@jest/globals';
import { SqliteError } from 'better-sqlite3';
import { Unavailable } from '../../../kernel/errors.js';
import { loggedError } from '../../../host/process/logged-error.js';
import { carriedError, errorFrom } from './carried-error.js';

describe('an error that is carried to another thread', () => {
  class DriverError extends Error {
    readonly code = 'DISK_FULL';
  }

  it('is logged there as it would be here', () => {
    const error = new Unavailable('read store', new DriverError('no room'));
    expect(loggedError(errorFrom(structuredClone(carriedError(error))))).toEqual(
      loggedError(error),
    );
    expect(loggedError(error)).toMatchObject({ type: 'Unavailable' });
  });

  it('keeps the words and the code of a database', () => {
    const fault = new SqliteError('database is locked', 'SQLITE_BUSY');
    const error = errorFrom(structuredClone(carriedError(new Unavailable('read store', fault))));
    expect(error.cause).toMatchObject({ name: 'SqliteError', code: 'SQLITE_BUSY' });
    expect(loggedError(error)).toMatchObject({
      message: 'read store unavailable: database is locked',
    });
  });

  it('is told in the same words by a thread between', () => {
    const error = new Unavailable('read store', new DriverError('no room'));
    const once = errorFrom(structuredClone(carriedError(error)));
    expect(loggedError(errorFrom(structuredClone(carriedError(once))))).toEqual(loggedError(once));
  });

  it('is told by its words alone when it is none', () => {
    expect(errorFrom(structuredClone(carriedError('gone'))).message).toBe('gone');
  });
});
