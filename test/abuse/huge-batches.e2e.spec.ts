import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot, shoot } from './pump.js';
import { expectServed, seenInTurns } from './victim.js';

const IN_A_BATCH = 100;
const BODY_BYTES = 512 * 1024;
const AT_ONCE = 32;
/**
 * The number of requests in a turn. A batch beyond a limit is refused quickly, so a turn needs many to be measurable.
 */
const TOTAL = 150;
const TOTAL_REFUSED_SOON = 600;
const MOST_GROWTH = 64 * 1024 * 1024;

/** Pads the JSON of a body with spaces, up to the largest allowed batch or beyond it. */
function padded(body: object, bytes = BODY_BYTES): string {
  const text = JSON.stringify(body);
  return text + ' '.repeat(bytes - text.length);
}

describe('an account that sends batches of verifications as large as they may be, and larger', () => {
  let service: AttackedService;
  let key: string;
  let victimsKey: string;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error' });
    const created = async (managementKey: string): Promise<string> => {
      const shot = { method: 'POST', path: '/v1/keys', body: '{"name":"in use"}' };
      const { text } = await shoot(service.address, managementKey, shot);
      return (JSON.parse(text) as { key: string }).key;
    };
    key = await created(service.attacker.key);
    victimsKey = await created(service.victim.key);
  });

  afterAll(() => service.end());

  const batch = (body: string): Shot => ({ method: 'POST', path: '/v1/keys/verify-batch', body });
  const sent = (shot: Shot, total: number) => (): Promise<Map<number, number>> =>
    pump(service.attacker, { total, atOnce: AT_ONCE }, () => shot);

  const many = (question: () => object, count = IN_A_BATCH): object => ({
    requests: Array.from({ length: count }, question),
  });

  it.each([
    [
      'keys that nobody has',
      200,
      TOTAL,
      () => padded(many(() => ({ key: mintKeyString('sk-v1-') }))),
    ],
    ['texts that are no keys', 200, TOTAL, () => padded(many(() => ({ key: 'k'.repeat(512) })))],
    ['faults in each question', 400, TOTAL, () => padded(many(() => ({ ['x'.repeat(4_000)]: 1 })))],
    [
      '200,000 faults',
      400,
      TOTAL_REFUSED_SOON,
      () => padded({ requests: Array.from({ length: 200_000 }, () => 1) }),
    ],
    [
      'too many bytes',
      413,
      TOTAL_REFUSED_SOON,
      () =>
        padded(
          many(() => ({ key })),
          BODY_BYTES + 1,
        ),
    ],
  ] as const)(
    'lets others be served, and takes little memory, with %s',
    async (_, status, total, bodyOf) => {
      const attack = batch(bodyOf());
      const harmless = batch(padded(many(() => ({ key }))));
      await sent(attack, total)();
      const before = await service.memory();
      const victim = { ...service.victim, verifies: victimsKey };
      const answers = new Map<number, number>();
      const seen = await seenInTurns(victim, {
        harmless: sent(harmless, total),
        attack: async () => {
          for (const [code, count] of await sent(attack, total)())
            answers.set(code, (answers.get(code) ?? 0) + count);
        },
      });
      const { heapUsed } = await service.memory();
      expect([...answers.keys()]).toEqual([status]);
      expect(heapUsed - before.heapUsed).toBeLessThan(MOST_GROWTH);
      expectServed(seen.attack, seen.harmless);
    },
    120_000,
  );
});
