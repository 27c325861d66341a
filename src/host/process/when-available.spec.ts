import { describe, expect, it } from '@jest/globals';
import { Unavailable } from '../../kernel/errors.js';
import { whenAvailable } from './when-available.js';

const LINE = 'waiting for EventStoreDB at log.example:2113 (connect ECONNREFUSED)';

/** Fails the given number of times, and then gives a result. */
function failing(times: number): () => Promise<string> {
  let left = times;
  return () => {
    left -= 1;
    return left < 0
      ? Promise.resolve('done')
      : Promise.reject(new Unavailable('event log', new Error('connect ECONNREFUSED')));
  };
}

async function linesOf(times: number, sayEveryMs = 60_000): Promise<unknown[]> {
  const lines: unknown[] = [];
  const logger = {
    info: ({ msg }: { msg: string }) => lines.push(`INFO ${msg}`),
    warn: ({ msg }: { msg: string }) => lines.push(`WARN ${msg}`),
  };
  const placeOf = (part: string) => part.replace('event log', 'EventStoreDB at log.example:2113');
  expect(await whenAvailable(failing(times), logger, placeOf, 1, sayEveryMs)).toBe('done');
  return lines;
}

describe('what has to wait for a server', () => {
  it('says nothing where the server is there', async () => {
    expect(await linesOf(0)).toEqual([]);
  });

  it('says once for what it waits, where that is and why, as servers may start later', async () => {
    expect(await linesOf(3)).toEqual([`INFO ${LINE}`]);
  });

  it('says so again each minute, as a warning', async () => {
    expect(await linesOf(3, 0)).toEqual([`INFO ${LINE}`, `WARN ${LINE}`, `WARN ${LINE}`]);
  });

  it('gives up at any other error', async () => {
    const logger = { info: () => undefined, warn: () => undefined };
    const broken = () => Promise.reject(new Error('broken'));
    await expect(whenAvailable(broken, logger, String)).rejects.toThrow('broken');
  });
});
