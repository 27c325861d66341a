import { randomBytes } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot } from './pump.js';
import { expectServed, seenDuring } from './victim.js';

const LOAD = { total: 6_000, atOnce: 64 };
/** The victim also uses the loopback address, but its requests count for another address. */
const ATTACKER = '198.51.100.66';

describe('keys that are guessed', () => {
  let service: AttackedService;

  beforeAll(async () => {
    service = await startAttacked({
      AUTH_FAILURE_LIMIT: '60/60s',
      TRUSTED_PROXIES: '127.0.0.1',
      LOG_LEVEL: 'info',
    });
  });

  afterAll(() => service.end());

  it('cost their address its answers, and nobody else anything', async () => {
    const headers = { 'x-forwarded-for': ATTACKER };
    const asked = (key: () => string) => (): Shot => ({
      path: '/v1/end-users?limit=1',
      headers: { ...headers, authorization: `Bearer ${key()}` },
    });
    const right = service.attacker.key;
    const askHarmless = (): Promise<unknown> =>
      pump(
        service.attacker,
        LOAD,
        asked(() => right),
      );
    // A service that has just started compiles its code, which delays every request.
    await askHarmless();
    const besideHarmless = await seenDuring(service.victim, askHarmless);
    const answers = new Map<number, number>();
    const guess = (): string =>
      Math.random() < 0.5 ? mintKeyString('mk-v1-') : randomBytes(24).toString('base64url');
    const besideAttack = await seenDuring(service.victim, async () => {
      for (const [status, count] of await pump(service.attacker, LOAD, asked(guess)))
        answers.set(status, count);
    });
    expectServed(besideAttack, besideHarmless);
    // Requests that were in flight when the limit was reached still get 401.
    const refused = answers.get(401) ?? 0;
    expect(refused).toBeGreaterThanOrEqual(60);
    expect(refused).toBeLessThan(60 + LOAD.atOnce);
    expect(answers.get(429)).toBe(LOAD.total - refused);
    const lines = service
      .logged()
      .filter(({ address, status }) => address === ATTACKER && status === 429);
    expect(lines.length).toBeGreaterThan(0);
    expect(lines.length).toBeLessThan(4);
    const passed = await pump(
      service.attacker,
      { total: 1, atOnce: 1 },
      asked(() => right),
    );
    expect([...passed]).toEqual([[200, 1]]);
  }, 120_000);
});
