import { beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../test/harness/eventually.js';
import type { FixedWindows } from './fixed-windows.js';
import { InsuredWindows } from './insured-windows.js';
import { WindowsInMemory } from './windows-in-memory.js';

const LIMIT = { count: 2, seconds: 60 };
const NOW = new Date('2026-03-29T01:00:00.000Z');
const PATIENCE = { answeredWithinMs: 200, askedAgainAfterMs: 300 };

/** A shared count that can fail or stop answering. */
class UnreliableWindows implements FixedWindows {
  state: 'answers' | 'refuses' | 'silent' = 'answers';
  asked = 0;
  readonly #counted = new WindowsInMemory();

  use(...asked: Parameters<FixedWindows['use']>): ReturnType<FixedWindows['use']> {
    return this.#answer(() => this.#counted.use(...asked));
  }

  giveBack(...asked: Parameters<FixedWindows['giveBack']>): ReturnType<FixedWindows['giveBack']> {
    return this.#answer(() => this.#counted.giveBack(...asked));
  }

  #answer<Answer>(answer: () => Promise<Answer>): Promise<Answer> {
    this.asked += 1;
    if (this.state === 'silent') return new Promise<Answer>(() => undefined);
    if (this.state === 'refuses') return Promise.reject(new Error('it is gone'));
    return answer();
  }
}

describe('a rate limit counted with other replicas', () => {
  let shared: UnreliableWindows;
  let windows: InsuredWindows;
  let logged: string[];

  beforeEach(() => {
    shared = new UnreliableWindows();
    logged = [];
    const log = {
      warn: ({ msg }: { msg: string }) => logged.push(`warning: ${msg}`),
      log: ({ msg }: { msg: string }) => logged.push(msg),
    };
    windows = new InsuredWindows(shared, log, PATIENCE);
  });

  async function use(): Promise<string> {
    const { granted, window } = await windows.use('an id', LIMIT, NOW);
    return `${granted ? 'granted' : 'refused'}, ${window.used} used`;
  }

  it('is shared while the shared count answers', async () => {
    await shared.use('an id', LIMIT, NOW);
    expect(await use()).toBe('granted, 2 used');
    expect(await use()).toBe('refused, 2 used');
    expect(logged).toEqual([]);
  });

  it('is counted by this process while the shared count is unavailable, with one log line', async () => {
    await use();
    shared.state = 'refuses';
    const atOnce = await Promise.all([use(), use(), use()]);
    expect(atOnce).toEqual(['granted, 1 used', 'granted, 2 used', 'refused, 2 used']);
    await eventually('it is asked again', async () => (await use()) && shared.asked > 4);
    const alone = 'warning: creations of keys are counted by this replica alone: Error: it is gone';
    expect(logged).toEqual([alone]);
  });

  it('asks the shared count again, logs its return, and continues with its count', async () => {
    await use();
    shared.state = 'refuses';
    await use();
    shared.state = 'answers';
    await eventually('it is back', async () => (await use()) && logged.length === 2);
    expect(logged[1]).toBe('creations of keys are counted with the other replicas again');
    expect(await use()).toBe('refused, 2 used');
  });

  it('waits a bounded time for a silent shared count, and after that not at all', async () => {
    shared.state = 'silent';
    expect(await use()).toBe('granted, 1 used');
    expect([await use(), await use()]).toEqual(['granted, 2 used', 'refused, 2 used']);
    expect({ asked: shared.asked, lines: logged.length }).toEqual({ asked: 1, lines: 1 });
  });

  it('lets one request at a time find out whether a silent shared count is back', async () => {
    shared.state = 'silent';
    await use();
    await eventually('it is asked again', async () => {
      await Promise.all(Array.from({ length: 20 }, use));
      return shared.asked > 1;
    });
    expect(shared.asked).toBe(2);
  });

  it('gives back where it was counted', async () => {
    const first = await windows.use('an id', LIMIT, NOW);
    shared.state = 'refuses';
    const second = await windows.use('an id', LIMIT, NOW);
    await use();
    expect(await second.giveBack()).toMatchObject({ used: 1 });
    expect(await use()).toBe('granted, 2 used');
    expect(await first.giveBack()).toBeUndefined();
    shared.state = 'answers';
    await eventually('the shared count is given back to', () => first.giveBack());
    expect(await shared.use('an id', LIMIT, NOW)).toMatchObject({ window: { used: 1 } });
  });

  it('is in the memory of a process without a shared count', async () => {
    windows = new InsuredWindows(null, { warn: fail, log: fail });
    expect([await use(), await use(), await use()]).toEqual([
      'granted, 1 used',
      'granted, 2 used',
      'refused, 2 used',
    ]);
  });
});

function fail({ msg }: { msg: string }): never {
  throw new Error(`it said: ${msg}`);
}
