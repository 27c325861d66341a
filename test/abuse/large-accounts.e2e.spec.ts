import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import type { AccountEvent } from '../../src/accounts/domain/account.events.js';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot, shoot } from './pump.js';
import { expectServed, seenDuring } from './victim.js';
import { listed, writeAccount, type WrittenAccount } from './written-account.js';

const MIB = 1024 * 1024;
const QUOTA = 1_000;
const ASKED = 1_200;
const AT_ONCE = 50;
/** The most restrictions that a request allows. */
const RESTRICTIONS = 32;
const RESTRICTION_LENGTH = 64;
/** The most memory that a loaded account at its quotas may take, with what the service needs otherwise. */
const MOST_GROWTH = 48 * MIB;
/** The most heap that may be in use, of 256 MB. */
const MOST_HEAP = 190 * MIB;
const LOADED_WITHIN_MS = 30_000;
/** Loading an account takes less than this multiple of the time that writing it took, even on a busy machine. */
const MOST_TIMES_WRITING = 5;

/** An account as an earlier release allowed it: 260 MB of restrictions. */
const OLD_WORKSPACES = 5_000;
const OLD_RESTRICTIONS = 100;
const OLD_LENGTH = 512;
const OLD_MEMBERS = 100_000;

function texts(workspace: number, count: number, length: number): string[] {
  return Array.from({ length: count }, (_, index) =>
    `${workspace}-${String(index).padStart(3, '0')}-`.padEnd(length, 'x'),
  );
}

function* manyRestrictions(account_id: string): Generator<AccountEvent> {
  for (let index = 0; index < OLD_WORKSPACES; index++) {
    yield {
      type: 'WorkspaceCreated',
      data: {
        account_id,
        workspace_id: `${account_id}-${index}`,
        name: `Workspace ${index}`,
        slug: `workspace-${index}`,
        description: null,
        restrictions: texts(index, OLD_RESTRICTIONS, OLD_LENGTH),
        is_default: false,
      },
    };
  }
}

function* manyMembers(account_id: string): Generator<AccountEvent> {
  for (let index = 0; index < OLD_MEMBERS; index++) {
    const user_id = `user-${index}`;
    yield { type: 'MemberAdded', data: { account_id, user_id } };
    const hash = `${account_id}${index}`.replaceAll('-', '').padEnd(64, '0');
    yield { type: 'ManagementKeyCreated', data: { account_id, hash, user_id, name: null } };
  }
}

/** As many cheap requests of the same sender. */
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

describe('an account that is larger than it may be, from before there were quotas', () => {
  let service: AttackedService;
  let restricted: WrittenAccount;
  let crowded: WrittenAccount;
  let loadedWithinMs: number;

  beforeAll(async () => {
    service = await startAttacked();
    const began = performance.now();
    restricted = await writeAccount(service.dataDir, manyRestrictions);
    const wrote = performance.now() - began;
    loadedWithinMs = Math.max(LOADED_WITHIN_MS, MOST_TIMES_WRITING * wrote);
    process.stdout.write(`written in ${Math.round(wrote)} ms\n`);
    crowded = await writeAccount(service.dataDir, manyMembers);
    await listed(service.address, restricted, '/v1/workspaces?limit=1', OLD_WORKSPACES + 1);
    await listed(service.address, crowded, '/v1/workspaces?limit=1', 1);
    service = await service.restart();
  }, 180_000);

  afterAll(() => service.end());

  /** Sends 50 requests at once for an account that is not loaded. Each must be answered. */
  async function expectLoaded({ key }: WrittenAccount, shots: readonly Shot[]): Promise<void> {
    const beside = await harmless(service, 2_000, () => ({ path: '/v1/key' }));
    let took = 0;
    const attack = await seenDuring(service.victim, async () => {
      const began = performance.now();
      const answers = await pump(
        { address: service.address, key },
        { total: AT_ONCE, atOnce: AT_ONCE },
        (number) => shots[number % shots.length] ?? { path: '/v1/key' },
      );
      took = performance.now() - began;
      expect([...answers]).toEqual([[200, AT_ONCE]]);
    });
    const after = await service.memory();
    told('loaded', after, { milliseconds: Math.round(took) });
    expect(took).toBeLessThan(loadedWithinMs);
    expect(after.heapUsed).toBeLessThan(MOST_HEAP);
    expectServed(attack, beside);
  }

  it('serves after a restart, 50 requests at once, beside the victim', async () => {
    const shots = [{ path: '/v1/key' }, { path: '/v1/workspaces?limit=1' }];
    await expectLoaded(restricted, shots);
  }, 120_000);

  it('has its long restrictions whole in answers, and can be changed', async () => {
    const { key, accountId } = restricted;
    const path = `/v1/workspaces/${accountId}-7`;
    const renamed = await shoot(service.address, key, {
      method: 'PATCH',
      path,
      body: '{"name":"renamed"}',
    });
    expect(renamed.status).toBe(200);
    const restrictions = texts(7, OLD_RESTRICTIONS, OLD_LENGTH);
    expect(JSON.parse(renamed.text)).toMatchObject({ data: { name: 'renamed', restrictions } });
    const created = await shoot(service.address, key, {
      method: 'POST',
      path: '/v1/workspaces',
      body: '{"name":"one more"}',
    });
    expect({ status: created.status, text: created.text }).toMatchObject({
      status: 409,
      text: expect.stringContaining('"quota":"workspaces"'),
    });
  }, 60_000);

  it('serves with 100,000 members and as many management keys', async () => {
    await expectLoaded(crowded, [{ path: '/v1/key' }, { path: '/v1/keys?limit=1' }]);
    const created = await shoot(service.address, crowded.key, {
      method: 'POST',
      path: '/v1/workspaces',
      body: '{"name":"one more"}',
    });
    expect(created.status).toBe(201);
  }, 120_000);

  it('serves beside another one like it, one loaded after the other', async () => {
    const { status } = await shoot(service.address, restricted.key, { path: '/v1/key' });
    expect(status).toBe(200);
    const { heapUsed } = await service.memory();
    expect(heapUsed).toBeLessThan(MOST_HEAP);
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
