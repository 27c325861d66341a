import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import { whenAvailable } from './when-available.js';

/** Fails the given number of times, and then gives a result. */
function failing(times: number): () => Promise<string> {
  let left = times;
  return () => {
    left -= 1;
    return left < 0
      ? Promise.resolve('done')
      : Promise.reject(new Unavailable('event log', 'away'));
  };
}

async function linesOf(times: number): Promise<unknown[]> {
  const lines: unknown[] = [];
  const logger = { info: (line: object) => lines.push(line) };
  expect(await whenAvailable(failing(times), logger, 1)).toBe('done');
  return lines;
}

describe('what has to wait for a server', () => {
  it('says nothing where the server is there', async () => {
    expect(await linesOf(0)).toEqual([]);
  });

  it('says once that it waits and why, as servers may start later', async () => {
    expect(await linesOf(3)).toEqual([{ msg: 'waiting', err: expect.any(Unavailable) }]);
  });

  it('gives up at any other error', async () => {
    const logger = { info: () => undefined };
    const failure = whenAvailable(() => Promise.reject(new Error('broken')), logger);
    await expect(failure).rejects.toThrow('broken');
  });
});
