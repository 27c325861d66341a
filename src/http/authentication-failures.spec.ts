import { beforeEach, describe, expect, it } from '@jest/globals';
import { Refusal, type RefusalCode } from '../kernel/errors.js';
import { AuthenticationFailures, TooManyFailures } from './authentication-failures.js';

const LIMIT = { count: 3, seconds: 60 };
const ADDRESS = '192.0.2.7';

describe('failed authentications', () => {
  let now: number;
  let failures: AuthenticationFailures;

  beforeEach(() => {
    now = 0;
    failures = new AuthenticationFailures(LIMIT, () => now);
  });

  function fail(address = ADDRESS, code: RefusalCode = 'key-invalid'): Promise<unknown> {
    const refused = failures.watch(address, () => Promise.reject(new Refusal(code)));
    return refused.then(
      () => 'found',
      (error: unknown) => (error instanceof TooManyFailures ? error : code),
    );
  }

  async function exhaust(address = ADDRESS): Promise<void> {
    for (let failed = 0; failed < LIMIT.count; failed++) await fail(address);
  }

  it('are refused as they are up to the limit, and as too many beyond it', async () => {
    await exhaust();
    const refusal = await fail();
    expect(refusal).toMatchObject({
      code: 'too-many-authentication-failures',
      retryAfterSeconds: 60,
    });
  });

  it('say when the window ends, and begin anew then', async () => {
    await exhaust();
    now = 59_500;
    expect(await fail()).toMatchObject({ retryAfterSeconds: 1 });
    now = 60_000;
    expect(await fail()).toBe('key-invalid');
  });

  it('are counted for each address, and for each /64 of IPv6', async () => {
    await exhaust();
    expect(await fail('192.0.2.8')).toBe('key-invalid');
    await exhaust('2001:db8::1');
    expect(await fail('2001:db8::ffff')).toBeInstanceOf(TooManyFailures);
    expect(await fail('2001:db8:0:1::1')).toBe('key-invalid');
  });

  it('are those of credentials, not of requests without any, nor of faults', async () => {
    for (let sent = 0; sent < 9; sent++) await fail(ADDRESS, 'authentication-missing');
    expect(await fail(ADDRESS, 'authentication-malformed')).toBe('authentication-malformed');
    const fault = new Error('the log is gone');
    await expect(failures.watch(ADDRESS, () => Promise.reject(fault))).rejects.toBe(fault);
  });

  it('keep no right credential out', async () => {
    await exhaust();
    await expect(failures.watch(ADDRESS, async () => 'found')).resolves.toBe('found');
  });

  it('have one look-up at a time beyond the limit, which does not wait for the log', async () => {
    const waits: boolean[] = [];
    let atOnce = 0;
    let most = 0;
    const lookUp = async (mayWait: boolean): Promise<never> => {
      waits.push(mayWait);
      most = Math.max(most, ++atOnce);
      await new Promise((resolve) => setImmediate(resolve));
      atOnce -= 1;
      throw new Refusal('key-invalid');
    };
    const all = (): Promise<unknown> =>
      Promise.allSettled(Array.from({ length: 20 }, () => failures.watch(ADDRESS, lookUp)));
    await exhaust();
    await all();
    expect({ most, waits: new Set(waits) }).toEqual({ most: 1, waits: new Set([false]) });
  });

  it('are logged once a minute beyond the limit', async () => {
    failures = new AuthenticationFailures({ count: 1, seconds: 600 }, () => now);
    await fail();
    const logged = async (): Promise<unknown> => ((await fail()) as TooManyFailures).isLogged;
    expect([await logged(), await logged()]).toEqual([true, false]);
    now = 60_000;
    expect([await logged(), await logged()]).toEqual([true, false]);
  });

  it('are not counted without a limit', async () => {
    failures = new AuthenticationFailures('off');
    for (let sent = 0; sent < 99; sent++) expect(await fail()).toBe('key-invalid');
  });
});
