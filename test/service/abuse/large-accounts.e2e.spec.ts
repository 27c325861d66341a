import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot } from './pump.js';
import { expectServed, seenDuring } from './victim.js';

const MIB = 1024 * 1024;
const QUOTA = 1_000;
const ASKED = 1_200;
const AT_ONCE = 50;
/** The most restrictions that a request allows. */
const RESTRICTIONS = 32;
const RESTRICTION_LENGTH = 64;
/**
 * The most memory that a loaded account at its quotas may take, with what the service needs
 * otherwise.
 */
const MOST_GROWTH = 48 * MIB;
function texts(workspace: number, count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    `${workspace}-${String(index).padStart(3, '0')}-`.padEnd(length, 'x'),
  );
}

/** Sends as many cheap requests in place of the attack. */
function harmless(service: AttackedService, total: number, shot: (n: number) => Shot) {
  return seenDuring(service.victim, () => pump(service.attacker, { total, atOnce: AT_ONCE }, shot));
}

describe('a tenant that makes as many workspaces as it can', () => {
  let service: AttackedService;

  beforeAll(async () => {
    service = await startAttacked();
  });

  afterAll(() => service.end());

  it(`has ${QUOTA} of them, and the victim is served`, async () => {
    const beside = await harmless(service, ASKED, (number) => ({
      method: 'POST',
      path: '/v1/end-users',
      body: JSON.stringify({ user: `u-${number}` }),
    }));
    const before = await service.memory();
    let answers = new Map<number, number>();
    const attack = await seenDuring(service.victim, async () => {
      answers = await pump(service.attacker, { total: ASKED, atOnce: AT_ONCE }, (number) => ({
        method: 'POST',
        path: '/v1/workspaces',
        body: JSON.stringify({
          name: `w ${number}`,
          restrictions: texts(number, RESTRICTIONS, RESTRICTION_LENGTH),
        }),
      }));
    });
    expect([...answers].sort()).toEqual([
      [201, QUOTA - 1],
      [409, ASKED - QUOTA + 1],
    ]);
    const after = await service.memory();
    told('workspaces up to the quota', after, { growth: after.heapUsed - before.heapUsed });
    expect(after.heapUsed - before.heapUsed).toBeLessThan(MOST_GROWTH);
    expectServed(attack, beside);
  }, 120_000);
});

function told(
  what: string,
  { heapUsed, rss }: { readonly heapUsed: number; readonly rss: number },
  more: Readonly<Record<string, number>>,
): void {
  const inMiB = { heap: Math.round(heapUsed / MIB), rss: Math.round(rss / MIB) };
  process.stdout.write(`${what}: ${JSON.stringify({ ...inMiB, ...more })}\n`);
}
