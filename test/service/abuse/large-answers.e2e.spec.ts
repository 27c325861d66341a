import { createHash } from 'node:crypto';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { keyStream } from '../../../src/features/keys/domain/key.js';
import type { KeyEvent } from '../../../src/features/keys/domain/key.events.js';
import { askSlowly, type SlowReader } from '../../support/harness/slow-reader.js';
import { keyCreated } from '../../support/histories/keys.js';
import { type AttackedService, startAttacked } from './attacked-service.js';
import { pump, type Shot, shoot } from './pump.js';
import { expectServed, seenInTurns } from './victim.js';
import { type History, withHistories } from './written-log.js';

const KEYS = 100;
const LIST = '/v1/keys?limit=100';
/** The pages of events that nobody did in each turn. */
const PAGES = { total: 40, atOnce: 10 };
/** The victim must ask as often beside these pages, of which each takes little time. */
const HARMLESS_PAGES = { total: 1_000, atOnce: 10 };
const READERS = 30;
/** The unread lists of each reader in a turn. Those with short names take less time. */
const ROUNDS = { attack: 3, harmless: 15 };
const MOST_ANSWER = 2 * 1024 * 1024;
const MOST_GROWTH = 64 * 1024 * 1024;

/** The changes of the busy key. */
const CHANGES = 1_000;

/** Makes a name as long as it may be, which no other key or change has. */
const nameOf = (number: number): string => `${'🔑'.repeat(500)}${number}`;

describe('an account with names as long as they may be', () => {
  const busy = hashOf('busy');
  let service: AttackedService;
  /** A list of the same number of keys with short names. */
  let harmlessList: string;

  beforeAll(async () => {
    service = await startAttacked();
    const { attacker } = service;
    const { account_id } = service.attackerAccount;
    const workspaceOf = async (shot: Shot): Promise<string> => {
      const { text } = await shoot(service.address, attacker.key, shot);
      return (JSON.parse(text) as { data: { id: string } }).data.id;
    };
    const home = await workspaceOf({ path: '/v1/workspaces/default' });
    const body = '{"name":"harmless"}';
    const harmless = await workspaceOf({ method: 'POST', path: '/v1/workspaces', body });
    harmlessList = `${LIST}&workspace_id=${harmless}`;
    const created = (hash: string, workspace_id: string, name: string): KeyEvent =>
      keyCreated({ hash, account_id, workspace_id, name, creator_user_id: 'owner' });
    const renamed = (number: number): KeyEvent => ({
      type: 'ApiKeyRenamed',
      data: { hash: busy, name: nameOf(number + 1), previous_name: nameOf(number) },
    });
    const histories: History[] = Array.from({ length: KEYS }, (_key, number) => [
      [home, nameOf(number)] as const,
      [harmless, `key ${number}`] as const,
    ])
      .flat()
      .map(([workspace, name]) => {
        const hash = hashOf(name);
        return { account_id, stream: keyStream(hash), events: [created(hash, workspace, name)] };
      });
    const renames = Array.from({ length: CHANGES }, (_change, number) => renamed(number));
    const events = [created(busy, home, nameOf(0)), ...renames];
    const history = { account_id, stream: keyStream(busy), events };
    service = await withHistories(service, [history, ...histories]);
  }, 120_000);

  afterAll(() => service.end());

  const pageOf = (actor: string): { path: string } => ({
    path: `/v1/audit-events?limit=1&target_type=key&target_id=${busy}&actor=${actor}`,
  });

  /** Lets many readers ask for a list and read only its beginning. */
  async function readNothing(path: string): Promise<readonly SlowReader[]> {
    const headers = { Authorization: `Bearer ${service.attacker.key}` };
    const asked = Array.from({ length: READERS }, () => askSlowly(service.address + path, headers));
    return Promise.all(asked);
  }

  async function askAndLeave(path: string, rounds: number): Promise<void> {
    for (let round = 0; round < rounds; round += 1) {
      for (const reader of await readNothing(path)) {
        expect(reader.status).toBe(200);
        reader.leave();
      }
    }
  }

  it('lets others be served while it asks for events that nobody did', async () => {
    const ask = (actor: string, pages: typeof PAGES) => async (): Promise<void> => {
      const answers = await pump(service.attacker, pages, () => pageOf(actor));
      expect([...answers]).toEqual([[200, pages.total]]);
    };
    await ask('owner', PAGES)();
    const { harmless, attack } = await seenInTurns(service.victim, {
      harmless: ask('owner', HARMLESS_PAGES),
      attack: ask('nobody', PAGES),
    });
    expectServed(attack, harmless);
  }, 240_000);

  it('gets answers that are bounded', async () => {
    for (const path of [
      '/v1/keys?limit=100',
      '/v1/audit-events?limit=100',
      pageOf('nobody').path,
    ]) {
      const { status, text } = await shoot(service.address, service.attacker.key, { path });
      expect(status).toBe(200);
      expect(Buffer.byteLength(text)).toBeLessThan(MOST_ANSWER);
    }
  });

  it(`leaves nothing in memory with ${READERS} lists that nobody reads, and others are served`, async () => {
    await askAndLeave(LIST, ROUNDS.attack);
    const before = await service.memory();
    const { harmless, attack } = await seenInTurns(service.victim, {
      harmless: () => askAndLeave(harmlessList, ROUNDS.harmless),
      attack: () => askAndLeave(LIST, ROUNDS.attack),
    });
    const readers = await readNothing(LIST);
    const held = await service.memory();
    for (const reader of readers) reader.leave();
    const grown = held.rss - before.rss;
    process.stdout.write(`memory: ${(grown / 1024 / 1024).toFixed(1)} MiB more\n`);
    expect(grown).toBeLessThan(MOST_GROWTH);
    expectServed(attack, harmless);
  }, 240_000);
});

function hashOf(text: string): string {
  return createHash('sha256').update(text).digest('hex');
}
