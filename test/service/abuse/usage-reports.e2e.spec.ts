import { randomBytes, randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { shoot } from './pump.js';
import { expectServedAlike, seenInTurns } from './victim.js';

const RECORDS = 1_000;
/** How many keys are created at once. */
const AT_ONCE = 20;
const REPORTS = 40;
const EVERY_MS = 100;
/** The highest p99 of the victim as a multiple of the p99 beside reports of keys in use. */
const MOST_TIMES = 1.5;

interface CreatedKey {
  readonly key: string;
  readonly data: { readonly hash: string };
}

describe('an account that reports the usage of keys that nobody has', () => {
  let service: AttackedService;
  /** The hashes of keys of the attacker that are in memory. */
  const inUse: string[] = [];
  let victims: string;

  beforeAll(async () => {
    service = await startAttacked({ LOG_LEVEL: 'error', RATE_LIMIT_KEY_CREATION: 'off' });
    const { attacker, victim, address } = service;
    const createdBy = async ({ key }: { readonly key: string }): Promise<CreatedKey> => {
      const shot = { method: 'POST', path: '/v1/keys', body: '{"name":"in use"}' };
      return JSON.parse((await shoot(address, key, shot)).text) as CreatedKey;
    };
    victims = (await createdBy(victim)).key;
    let missing = RECORDS;
    const createInUse = async (): Promise<void> => {
      while (missing > 0) {
        missing -= 1;
        const { hash } = (await createdBy(attacker)).data;
        inUse.push(hash);
        const body = JSON.stringify({ hash });
        await shoot(address, attacker.key, { method: 'POST', path: '/v1/keys/verify', body });
      }
    };
    await Promise.all(Array.from({ length: AT_ONCE }, createInUse));
  }, 120_000);

  afterAll(() => service.end());

  /** Sends reports of 1,000 records at a fixed rate. @param hashesOf gives the hashes of a report. */
  async function report(hashesOf: () => readonly string[]): Promise<void> {
    const { address, attacker } = service;
    const answers = [];
    for (let sent = 0; sent < REPORTS; sent += 1) {
      const records = hashesOf().map((key_hash) => ({ key_hash, cost: 1 }));
      const path = `/v1/usage-reports/${randomUUID()}`;
      const body = JSON.stringify({ records });
      answers.push(shoot(address, attacker.key, { method: 'PUT', path, body }));
      await delay(EVERY_MS);
    }
    for (const { status } of await Promise.all(answers)) expect(status).toBe(201);
  }

  const nobodys = (): string[] =>
    Array.from({ length: RECORDS }, () => randomBytes(32).toString('hex'));

  it('slows the verifications of another account no more than reports of keys in use', async () => {
    const victim = { ...service.victim, verifies: victims };
    const { attack, harmless } = await seenInTurns(victim, {
      harmless: () => report(() => inUse),
      attack: () => report(nobodys),
    });
    expectServedAlike(MOST_TIMES, attack, harmless);
  }, 240_000);
});
