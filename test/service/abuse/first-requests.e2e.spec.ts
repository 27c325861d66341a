import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { AccountEvent } from '../../../src/features/accounts/domain/account.events.js';
import { accountStream } from '../../../src/features/accounts/domain/account.js';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import { keyStream } from '../../../src/features/keys/domain/key.js';
import type { KeyEvent } from '../../../src/features/keys/domain/key.events.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { keyCreated } from '../../support/histories/keys.js';
import { type AttackedService, createAccount, startAttacked } from './attacked-service.js';
import { pump } from './pump.js';
import { expectServedWithin, seenDuring } from './victim.js';
import { withHistories } from './written-log.js';

const CHANGES = 60_000;
const AT_ONCE = 100;
/**
 * Requests of a loaded account. They last long enough to measure a victim, and are too few at once
 * to queue.
 */
const HARMLESS = { total: 500, atOnce: 8 };
const MOST_P99_MS = 200;

interface Workspaces {
  readonly data: readonly { readonly id: string }[];
}

function* renames(account_id: string): Generator<AccountEvent> {
  const workspace_id = `${account_id}-0`;
  yield {
    type: 'WorkspaceCreated',
    data: {
      account_id,
      workspace_id,
      name: 'Renamed',
      slug: 'renamed',
      description: null,
      restrictions: [],
      is_default: false,
    },
  };
  for (let change = 0; change < CHANGES; change += 1) {
    const name = `change ${change}`;
    yield {
      type: 'WorkspaceRenamed',
      data: { workspace_id, name, previous_name: `change ${change - 1}` },
    };
  }
}

describe(`the first ${AT_ONCE} requests after a start, all at once, while another tenant asks`, () => {
  let service: AttackedService;

  beforeEach(async () => {
    service = await startAttacked();
  });

  afterEach(() => service.end());

  /** Expects an answer to every request, and no delay for the victim. */
  async function expectUnnoticed(key: string, path: string): Promise<void> {
    let statuses = new Map<number, number>();
    const { address, attacker } = service;
    const harmless = await seenDuring(service.victim, () =>
      pump(attacker, HARMLESS, () => ({ path: '/v1/key' })),
    );
    const attack = await seenDuring(service.victim, async () => {
      statuses = await pump({ address, key }, { total: AT_ONCE, atOnce: AT_ONCE }, () => ({
        path,
      }));
    });
    expect(statuses).toEqual(new Map([[200, AT_ONCE]]));
    expectServedWithin(MOST_P99_MS, attack, harmless);
  }

  it(`load an account with ${CHANGES} changes`, async () => {
    const made = await createAccount({ DATA_DIR: service.dataDir });
    const events = [...renames(made.account_id)];
    const stream = accountStream(made.account_id);
    service = await withHistories(service, [{ account_id: made.account_id, stream, events }]);
    await expectUnnoticed(made.management_key, '/v1/end-users?limit=1');
  });

  it(`load a key with ${CHANGES} changes`, async () => {
    const key = mintKeyString('sk-v1-');
    const hash = hashKeyString(key);
    const account_id = service.attackerAccount.account_id;
    const { body } = await new HttpClient(service.address, service.attacker.key).get<Workspaces>(
      '/v1/workspaces',
    );
    const created = keyCreated({
      hash,
      account_id,
      workspace_id: body.data[0]?.id ?? '',
      name: 'change -1',
      creator_user_id: 'owner',
    });
    const renamed = Array.from({ length: CHANGES }, (_, change): KeyEvent => ({
      type: 'ApiKeyRenamed',
      data: { hash, name: `change ${change}`, previous_name: `change ${change - 1}` },
    }));
    const events = [created, ...renamed];
    service = await withHistories(service, [{ account_id, stream: keyStream(hash), events }]);
    await expectUnnoticed(key, '/v1/key');
  });
});
