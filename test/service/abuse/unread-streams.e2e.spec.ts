import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { askSlowly, type SlowReader } from '../../support/harness/slow-reader.js';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump } from './pump.js';
import { expectServed, seenInTurns } from './victim.js';

const NDJSON = { Accept: 'application/x-ndjson' };
const PATH = '/v1/audit-events';
/** Enough events for a stream of 10 MB, which is more than the buffers of a connection hold. */
const EVENTS = 8_000;
const READERS = 500;
/** The most streams that an account may have at once (RATE_LIMIT_STREAMS). */
const SLOTS = 4;
const MOST_GROWTH = 64 * 1024 * 1024;

describe('an account that asks for 500 streams and reads none', () => {
  let service: AttackedService;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error' });
    const body = (number: number): string =>
      JSON.stringify({ user: `${'🔑'.repeat(200)}${number}` });
    const statuses = await pump(service.attacker, { total: EVENTS, atOnce: 32 }, (number) => ({
      method: 'POST',
      path: '/v1/end-users',
      headers: { 'content-type': 'application/json' },
      body: body(number),
    }));
    expect([...statuses]).toEqual([[201, EVENTS]]);
  }, 120_000);

  afterAll(() => service.end());

  async function readNothing(headers: Readonly<Record<string, string>>): Promise<SlowReader[]> {
    const Authorization = `Bearer ${service.attacker.key}`;
    const asked = Array.from({ length: READERS }, () =>
      askSlowly(`${service.address}${PATH}?limit=1`, { Authorization, ...headers }),
    );
    return Promise.all(asked);
  }

  it('is sent four, and others are served meanwhile', async () => {
    await readNothing({});
    const before = await service.memory();
    const sent: number[] = [];
    const refused: number[] = [];
    const grown: number[] = [];
    const { attack, harmless } = await seenInTurns(service.victim, {
      harmless: async () => {
        for (const reader of await readNothing({})) reader.leave();
      },
      attack: async () => {
        const readers = await readNothing(NDJSON);
        const held = await service.memory();
        grown.push(held.rss - before.rss);
        sent.push(readers.filter(({ status }) => status === 200).length);
        refused.push(readers.filter(({ status }) => status === 429).length);
        for (const reader of readers) reader.leave();
      },
    });
    expect(sent).toEqual(sent.map(() => SLOTS));
    expect(refused).toEqual(sent.map(() => READERS - SLOTS));
    const mostGrown = Math.max(...grown);
    process.stdout.write(`memory: ${(mostGrown / 1024 / 1024).toFixed(1)} MiB more\n`);
    expect(mostGrown).toBeLessThan(MOST_GROWTH);
    expectServed(attack, harmless);
  }, 120_000);
});
