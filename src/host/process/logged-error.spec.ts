import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import { loggedError } from './logged-error.js';

/** An error like an error of a server's client, whose cause holds the sent data. */
class DriverFault extends Error {
  readonly code = 14;
  override readonly cause = Object.assign(new TypeError(this.message), { sent: 'password-1' });
  readonly _raw = Object.assign(new TypeError('password-2'), { sent: 'password-3' });
  readonly options = { password: 'password-4' };
}

function thrown(): DriverFault {
  return new DriverFault('14 UNAVAILABLE: gone');
}

describe('a logged error', () => {
  it('has a message once that each error repeats from its cause', () => {
    const logged = loggedError(new Unavailable('event log', thrown()));
    expect(logged).toMatchObject({
      type: 'Unavailable',
      message: 'event log unavailable: 14 UNAVAILABLE: gone',
    });
    expect(JSON.stringify(logged).match(/gone/g)).toHaveLength(1);
  });

  it('has the messages of causes that the error itself does not repeat', () => {
    const cause = new Error('denied', { cause: new Error('no such user') });
    expect(loggedError(new Error('cannot start', { cause }))).toMatchObject({
      message: 'cannot start: denied: no such user',
    });
  });

  it('has the stack of the error and of every cause, under its type', () => {
    const { stack } = loggedError(new Unavailable('event log', thrown())) as { stack: string };
    const parts = stack.split('\ncaused by: ');
    expect(parts.map((part) => part.split('\n')[0])).toEqual([
      'Unavailable',
      'DriverFault',
      'TypeError',
    ]);
    for (const part of parts) expect(part).toMatch(/\n {4}at .*logged-error\.spec/);
    expect(parts[1]).toContain('at thrown');
  });

  it('has the code and no other property of the error or of a cause', () => {
    const logged = loggedError(thrown());
    expect(Object.keys(logged)).toEqual(['type', 'message', 'code', 'stack']);
    expect(logged).toMatchObject({ code: 14 });
    expect(JSON.stringify(logged)).not.toContain('password');
  });

  it('is finite for errors that refer to each other', () => {
    const first = new Error('first');
    first.cause = new Error('second', { cause: first });
    expect(loggedError(first)).toMatchObject({ message: 'first: second' });
  });

  it('is text for a thrown value that is no error', () => {
    expect(loggedError('gone')).toBe('gone');
    expect(loggedError(undefined)).toBe('undefined');
  });
});
