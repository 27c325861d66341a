import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import fc from 'fast-check';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import { readModelsHere } from '../../../../test/support/specs/read-models-here.js';
import { EventRegistry } from '../../../event-sourcing/event-log/event-registry.js';
import { SqliteEventLog } from '../../../event-sourcing/event-log/sqlite/sqlite-event-log.js';
import { BLOCK_SIZE } from '../../../event-sourcing/projections/rank-counts.js';
import type { ReadModels } from '../../../event-sourcing/projections/read-models.js';
import { readSideOf } from '../../../event-sourcing/projections/read-side.js';
import { SqliteReadStore } from '../../../event-sourcing/read-store/sqlite/sqlite-read-store.js';
import type { EndUser } from '../domain/end-user.js';
import { type EndUserEvent, endUserEvents } from '../domain/end-user.events.js';
import { EndUserDirectory } from './end-user-directory.js';
import { endUserDirectory } from './end-user-directory.projection.js';

const PATIENCE_MS = 10_000;
/** The suite folds thousands of events. */
jest.setTimeout(120_000);
const MANY = 7 * BLOCK_SIZE + 7;

/** Every end user by ordinal, with its activity. */
type Model = boolean[];

describe('the end-user directory', () => {
  const registry = new EventRegistry(endUserEvents);
  let log: SqliteEventLog;
  let store: SqliteReadStore;
  let models: ReadModels;
  let directory: EndUserDirectory;
  let organization: string;
  let model: Model;

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(':memory:');
    const notify = (cause: unknown): void => {
      throw new Error('the projection has a fault', { cause });
    };
    const readSide = readSideOf('test', [endUserDirectory]);
    const options = { notify, timeoutMs: PATIENCE_MS };
    models = readModelsHere(readSide, { log, registry, store }, options);
    models.start();
    directory = new EndUserDirectory(models);
    organization = randomUUID();
    model = [];
  });

  afterEach(async () => {
    await models.stop();
    await store.close();
    await log.close();
  });

  async function happen(type: EndUserEvent['type'], ordinals: readonly number[]): Promise<void> {
    const metadata = metadataAt(0, organization);
    const stored = ordinals.map((ordinal) => {
      const data = { organization_id: organization, user: `user-${ordinal}` };
      model[ordinal] = type !== 'EndUserDeactivated';
      return { id: randomUUID(), ...registry.encode({ type, data }), metadata };
    });
    if (stored.length > 0) await log.append(`s-${randomUUID()}`, stored, 'no-stream');
  }

  const register = (count: number): Promise<void> =>
    happen(
      'EndUserRegistered',
      Array.from({ length: count }, (_, index) => model.length + index),
    );

  async function catchUp(): Promise<void> {
    await models.caughtUp;
    await models.progress.waitFor(await log.head(), PATIENCE_MS);
  }

  /** Compares pages of the directory with pages of the model. */
  async function expectPages(
    offsets: readonly number[],
    limit: number,
    includeInactive: boolean,
  ): Promise<void> {
    await catchUp();
    const matching = [...model.keys()].filter((ordinal) => includeInactive || model[ordinal]);
    for (const offset of offsets) {
      const range = { offset, limit, includeInactive };
      const { found } = await directory.page(organization, range);
      expect({
        range,
        total: found.total,
        listed: found.documents.map((record) => {
          const { user, is_active } = JSON.parse(record) as EndUser;
          return [user, is_active];
        }),
      }).toEqual({
        range,
        total: matching.length,
        listed: matching
          .slice(offset, offset + limit)
          .map((ordinal) => [`user-${ordinal}`, model[ordinal]]),
      });
    }
  }

  it('gives the pages that a plain list gives, after any history', async () => {
    const step = fc.oneof(
      fc.record({
        type: fc.constant('register' as const),
        count: fc.integer({ min: 1, max: 300 }),
      }),
      fc.record({
        type: fc.constantFrom('deactivate' as const, 'reactivate' as const),
        from: fc.nat(999),
        stride: fc.integer({ min: 1, max: 9 }),
        count: fc.integer({ min: 1, max: 300 }),
      }),
    );
    const page = fc.record({
      offset: fc.nat(700),
      limit: fc.integer({ min: 1, max: 100 }),
      includeInactive: fc.boolean(),
    });
    await fc.assert(
      fc.asyncProperty(
        fc.array(step, { minLength: 2, maxLength: 8 }),
        fc.array(page, { minLength: 3, maxLength: 3 }),
        async (steps, pages) => {
          organization = randomUUID();
          model = [];
          for (const taken of steps) {
            if (taken.type === 'register') await register(taken.count);
            else {
              const active = taken.type === 'reactivate';
              const ordinals = [...model.keys()].filter(
                (ordinal) => ordinal >= taken.from % model.length && model[ordinal] !== active,
              );
              await happen(
                active ? 'EndUserReactivated' : 'EndUserDeactivated',
                ordinals.filter((_, index) => index % taken.stride === 0).slice(0, taken.count),
              );
            }
            await catchUp();
          }
          for (const { offset, limit, includeInactive } of pages) {
            await expectPages([offset], limit, includeInactive);
          }
        },
      ),
      { numRuns: 30 },
    );
  });

  it('finds every page across blocks, whatever the pattern of the inactive ones', async () => {
    const across = async (): Promise<void> => {
      const actives = model.filter(Boolean).length;
      const edges = [0, 1, BLOCK_SIZE - 1, BLOCK_SIZE, 4 * BLOCK_SIZE - 1, 4 * BLOCK_SIZE];
      const ends = [actives - 51, actives - 50, actives - 1, actives, MANY - 50, MANY - 1, MANY];
      const offsets = [...edges, ...ends].filter((offset) => offset >= 0);
      await expectPages(offsets, 50, false);
      await expectPages(offsets, 50, true);
    };
    const those = (wanted: (ordinal: number) => boolean, active: boolean): number[] =>
      [...model.keys()].filter((ordinal) => model[ordinal] === active && wanted(ordinal));
    await register(MANY);
    await across();
    await happen(
      'EndUserDeactivated',
      those((ordinal) => ordinal % 2 === 0, true),
    );
    await across();
    const wholeBlocks = those((ordinal) => ordinal < 5 * BLOCK_SIZE, true);
    await happen('EndUserDeactivated', wholeBlocks);
    await across();
    await happen(
      'EndUserReactivated',
      those((ordinal) => ordinal % 1_000 === 7, false),
    );
    await across();
    await happen(
      'EndUserDeactivated',
      those(() => true, true),
    );
    await across();
  });

  it('finds one end user, and as a list only when it is active or all are asked for', async () => {
    await register(2);
    await happen('EndUserDeactivated', [1]);
    await catchUp();
    const range = { offset: 0, limit: 50, includeInactive: false };
    const listed = async (user: string, includeInactive: boolean): Promise<number> =>
      (await directory.matching(organization, user, { ...range, includeInactive })).found.total;
    expect(await listed('user-0', false)).toBe(1);
    expect(await listed('user-1', false)).toBe(0);
    expect(await listed('user-1', true)).toBe(1);
    expect((await directory.find(organization, 'user-1')).found).toMatchObject({
      is_active: false,
    });
    await expect(directory.find(organization, 'nobody')).rejects.toMatchObject({
      code: 'not-found',
    });
  });
});
