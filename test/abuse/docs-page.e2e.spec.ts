import { readFileSync } from 'node:fs';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump } from './pump.js';
import { expectServed, type Seen, seenDuring } from './victim.js';

const CONNECTIONS = 30;
const TOTAL = 10_000;
/** The service makes each answer once, at the first request, and V8 compiles the code of a route meanwhile. */
const FIRST = 3_000;
/** Ticks of the kernel clock in a second. */
const TICKS = 100;
/** The cost of a request for the page, as a multiple of the cost of /health/live, must stay below this. */
const MOST_TIMES = 3;

interface Cost {
  readonly seen: Seen;
  /** The processor time of the service in user mode. */
  readonly seconds: number;
}

describe('callers without a key who hammer the page of the API', () => {
  let service: AttackedService;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error' });
  });

  afterAll(() => service.end());

  /** The kernel's share is left out: on the loopback address it includes the work of the receiver. */
  function secondsUsed(): number {
    const stat = readFileSync(`/proc/${String(service.child.pid)}/stat`, 'utf8');
    const [, user = ''] = /\) (?:\S+ ){11}(\d+)/.exec(stat) ?? [];
    return Number(user) / TICKS;
  }

  async function beside(path: string): Promise<Cost> {
    const nobody = { address: service.address, key: '' };
    const ask = async (total: number): Promise<void> => {
      const answers = await pump(nobody, { total, atOnce: CONNECTIONS }, () => ({ path }));
      expect(answers).toEqual(new Map([[200, total]]));
    };
    await ask(FIRST);
    // The requests of the victim cost the service too, so the cost is measured without the victim.
    const before = secondsUsed();
    await ask(TOTAL);
    const seconds = secondsUsed() - before;
    return { seen: await seenDuring(service.victim, () => ask(TOTAL)), seconds };
  }

  it.each([
    ['its script', '/docs/page.js'],
    ['the document', '/openapi.json'],
  ])(
    'hold nobody up by asking for %s, which costs little more than any answer',
    async (_, path) => {
      const harmless = await beside('/health/live');
      const attack = await beside(path);
      process.stdout.write(
        `processor: ${attack.seconds} s for ${path}, ${harmless.seconds} s for /health/live\n`,
      );
      expectServed(attack.seen, harmless.seen);
      expect(attack.seconds).toBeLessThan(MOST_TIMES * harmless.seconds);
    },
    120_000,
  );
});
