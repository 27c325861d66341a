import { readdirSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot, shoot } from './pump.js';
import { expectServed, seenDuring } from './victim.js';

const CHANGES = { total: 1_000, atOnce: 32 };
const MEGABYTE = 1024 * 1024;
/**
 * The most disk space that 1,000 changes with the longest allowed texts may take. Log, read models
 * and their write-ahead logs count.
 */
const MOST_DISK = 100 * MEGABYTE;

describe('an account that floods the log with changes', () => {
  let service: AttackedService;

  beforeAll(async () => {
    service = await startAttacked({ RATE_LIMIT_WRITES: 'off', LOG_LEVEL: 'error' });
  });

  afterAll(() => service.end());

  it('takes little of the disk without a limit of writes, and others are served', async () => {
    const { attacker, address } = service;
    const body = '{"name":"busy"}';
    const created = await shoot(address, attacker.key, {
      method: 'POST',
      path: '/v1/keys',
      headers: { 'content-type': 'application/json' },
      body,
    });
    const { hash } = (JSON.parse(created.text) as { data: { hash: string } }).data;
    const path = `/v1/keys/${hash}`;
    const change = (number: number): Shot => ({
      method: 'PATCH',
      path,
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify({ name: `${'🔑'.repeat(490)}${number}` }),
    });
    await pump(attacker, { total: 100, atOnce: 8 }, () => ({ path }));
    const harmless = await seenDuring(service.victim, () =>
      pump(attacker, CHANGES, () => ({ path })),
    );
    const before = diskOf(service.dataDir);
    let statuses = new Map<number, number>();
    const attack = await seenDuring(service.victim, async () => {
      statuses = await pump(attacker, CHANGES, change);
    });
    const grown = diskOf(service.dataDir) - before;
    process.stdout.write(`disk: ${(grown / MEGABYTE).toFixed(1)} MiB more\n`);
    expect(grown).toBeLessThan(MOST_DISK);
    expect(statuses.get(200)).toBe(CHANGES.total);
    expectServed(attack, harmless);
  }, 120_000);
});

function diskOf(directory: string): number {
  return readdirSync(directory, { recursive: true, encoding: 'utf8' })
    .map((name) => statSync(join(directory, name)))
    .reduce((sum, stat) => sum + (stat.isFile() ? stat.size : 0), 0);
}
