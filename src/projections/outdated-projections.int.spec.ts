import { randomUUID } from 'node:crypto';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { event } from '../../test/contracts/opened-log.js';
import { eventually } from '../../test/harness/eventually.js';
import { makeTempDirectory } from '../../test/harness/temp-directory.js';
import { modelWith } from '../../test/specs/model-with.js';
import { projectionsHere } from '../../test/specs/projections-here.js';
import { secondTallies, signed } from '../../test/specs/second-tallies.js';
import { storeWith } from '../../test/specs/store-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../kernel/errors.js';
import { START } from '../kernel/position.js';
import type { ReadModel, ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { projectorInto } from './fold-afresh.js';
import { Maintenance } from './maintenance.js';
import type { RebuildNews } from './outdated-projections.js';
import type { Projections } from './projections.js';

const PATIENCE_MS = 10_000;

describe('projections of which an earlier version left a read model', () => {
  const registry = new EventRegistry([tallied]);
  let directory: ReturnType<typeof makeTempDirectory>;
  let log: EventLog;
  let running: { projections: Projections; store: ReadStore } | undefined;
  let news: RebuildNews[];
  let faults: unknown[];
  /** How often it was asked whether somebody fills a generation. */
  let looks = 0;

  beforeEach(async () => {
    directory = makeTempDirectory();
    log = new SqliteEventLog(':memory:');
    news = [];
    faults = [];
    await write(1);
    await write(2);
    await start(tallies).projections.caughtUp();
    await stop();
  });

  afterEach(async () => {
    await stop();
    await log.close();
    directory.remove();
  });

  const write = async (amount: number) =>
    (await log.append(`s-${randomUUID()}`, [event({ name: 'a', amount }, 'Tallied')], 'no-stream'))
      .position;

  /** Starts as a process does. */
  function start(
    projection: typeof tallies,
    otherwise: (store: ReadStore) => ReadStore = (store) => store,
  ) {
    const store = new SqliteReadStore(directory.path);
    const counted = storeWith(store, {
      isFilling: (definition) => {
        looks += 1;
        return store.isFilling(definition);
      },
    });
    const sources = { log, registry, store: otherwise(counted) };
    const projections = projectionsHere([projection], sources, {
      tell: (told) => told.state === 'stuck' && faults.push(told),
      onRebuild: (told) => news.push(told),
    });
    projections.start();
    running = { projections, store };
    const { model } = projections.get('tallies');
    return { projections, model };
  }

  async function stop(): Promise<void> {
    await running?.projections.stop();
    await running?.store.close();
    running = undefined;
  }

  /** Waits until what is outdated was looked after once more, from beginning to end. */
  async function lookedAfter(): Promise<void> {
    const before = looks;
    await eventually('it was looked after', () => looks > before + 1, PATIENCE_MS);
  }

  const states = (): string[] => news.map(({ state }) => state);
  const total = async (model: ReadModel) => (await model.get('totals', 'all'))?.document;
  const goneOver = (model: ReadModel) =>
    eventually('it has gone over', () => model.version === 2, PATIENCE_MS);
  const databases = () => readdirSync(directory.path).filter((file) => /^tallies.*db$/.test(file));

  async function scanned(model: ReadModel): Promise<string> {
    const collections = Object.keys(tallies.collections);
    return JSON.stringify(await Promise.all(collections.map((name) => model.scan(name, '', 99))));
  }

  async function foldedAfresh(projection: typeof tallies): Promise<string> {
    const store = new SqliteReadStore(':memory:');
    const model = store.readModel(projection);
    await projectorInto(model, projection, { log, registry, store }).catchUp();
    const everything = await scanned(model);
    await store.close();
    return everything;
  }

  it('serve that, keep it up to date, and go over to one of their own, which is what a fresh fold gives', async () => {
    const { projections, model } = start(secondTallies());
    expect(model.version).toBe(1);
    expect(await total(model)).toEqual({ sum: 3 });
    await projections.caughtUp();
    const { progress } = projections.get('tallies');
    let sum = 3;
    while (model.version === 1) {
      expect(await progress.waitFor(await write(1), PATIENCE_MS)).toBe(true);
      sum += 1;
      expect(await total(model)).toEqual({ sum, by: 2 });
    }
    expect(await progress.waitFor(await write(1), PATIENCE_MS)).toBe(true);
    expect(await scanned(model)).toBe(await foldedAfresh(secondTallies()));
    expect(news).toMatchObject([
      { projection: 'tallies', state: 'begun', from: 1, to: 2 },
      { projection: 'tallies', state: 'done', differences: 'unasked' },
    ]);
    expect(databases()).toEqual([`tallies.${model.generation}.db`]);
    await stop();
    expect(start(secondTallies()).model.version).toBe(2);
    await running?.projections.caughtUp();
    expect(states()).toEqual(['begun', 'done']);
    expect(faults).toEqual([]);
  });

  it('rebuild again what could not be rebuilt, and serve on meanwhile', async () => {
    let failures = 0;
    const { projections, model } = start(secondTallies(), (store) =>
      storeWith(store, {
        fill: (definition) =>
          ++failures > 2
            ? store.fill(definition)
            : Promise.reject(new Unavailable('read store', 'gone')),
      }),
    );
    const { progress } = projections.get('tallies');
    await eventually('it failed', () => states().includes('failed'), PATIENCE_MS);
    expect(await progress.waitFor(await write(1), PATIENCE_MS)).toBe(true);
    expect(await total(model)).toEqual({ sum: 4, by: 2 });
    expect(projections.get('tallies').state).toBe('live');
    await goneOver(model);
    expect(states()).toEqual(['begun', 'failed', 'begun', 'failed', 'begun', 'done']);
    expect(await scanned(model)).toBe(await foldedAfresh(secondTallies()));
  });

  it('leave nothing of a rebuild that met an event it cannot fold', async () => {
    let readable = false;
    const choosy = secondTallies((lookup, tally) => {
      if (tally.data.amount === 1 && !readable) throw new Error('an event of old');
      return signed(lookup, tally);
    });
    const { projections, model } = start(choosy);
    await eventually('it failed', () => states().includes('failed'), PATIENCE_MS);
    expect(databases()).toEqual([`tallies.${model.generation}.db`]);
    expect(await total(model)).toEqual({ sum: 3 });
    expect(projections.get('tallies').state).toBe('live');
    readable = true;
    await goneOver(model);
    expect(faults).toEqual([]);
  });

  it('heal by a rebuild when they do not understand what was left after all', async () => {
    const misled = secondTallies((lookup, tally) => {
      const before = lookup('totals', 'all');
      if (before && before.by !== 2) throw new Error('a document of old');
      return signed(lookup, tally);
    });
    const { projections, model } = start(misled);
    await write(1);
    await eventually('it is stuck', () => faults.length > 0, PATIENCE_MS);
    await goneOver(model);
    await eventually('it is live', () => projections.get('tallies').state === 'live', PATIENCE_MS);
    expect(await total(model)).toEqual({ sum: 4, by: 2 });
  });

  it('give up a rebuild when they stop, leave nothing of it, and begin it again', async () => {
    let stopping: Promise<void> | undefined;
    const interrupted = secondTallies((lookup, tally) => {
      stopping ??= running?.projections.stop();
      return signed(lookup, tally);
    });
    start(interrupted);
    await eventually('it is being rebuilt', () => stopping !== undefined, PATIENCE_MS);
    await stop();
    expect(states()).toEqual(['begun']);
    expect(databases()).toHaveLength(1);
    const { model } = start(secondTallies());
    expect(model.version).toBe(1);
    expect(await total(model)).toEqual({ sum: 3 });
    await goneOver(model);
    expect(states()).toEqual(['begun', 'begun', 'done']);
  });

  it('begin again where a process was killed that rebuilt them', async () => {
    const killed = new SqliteReadStore(directory.path);
    const { generation } = killed.readModel(secondTallies());
    const filling = await killed.fill(secondTallies());
    await filling.model.write([], START, '1');
    await killed.close();
    expect(databases()).toHaveLength(2);
    const { model } = start(secondTallies());
    expect(model).toMatchObject({ generation, version: 1 });
    expect(databases()).toHaveLength(1);
    await goneOver(model);
    expect(await scanned(model)).toBe(await foldedAfresh(secondTallies()));
  });

  /** As a command beside the service does. */
  async function asOperator<Result>(work: (maintenance: Maintenance) => Promise<Result>) {
    const store = new SqliteReadStore(directory.path);
    const maintenance = new Maintenance([secondTallies()], { log, registry, store });
    return work(maintenance).finally(() => store.close());
  }

  it('leave the rebuild to an operator who has begun one, and go over to what came of it', async () => {
    const operators = new SqliteReadStore(directory.path);
    const filling = await operators.fill(secondTallies());
    const { projections, model } = start(secondTallies());
    await projections.caughtUp();
    await lookedAfter();
    const status = await asOperator((maintenance) => maintenance.status('tallies'));
    const rebuilt = asOperator((maintenance) => maintenance.rebuild('tallies'));
    await filling.discard();
    await operators.close();
    expect(status).toMatchObject({ version: 1, lag: 0, state: 'filling' });
    expect(await rebuilt).toMatchObject({ differences: 2 });
    await goneOver(model);
    const verified = await asOperator((maintenance) => maintenance.verify('tallies'));
    expect(verified).toEqual({ documents: 2, differences: [], lag: 0 });
    expect(news).toEqual([]);
  });

  it('leave the rebuild to whichever process has the turn, which rebuilds once', async () => {
    let holder = 'another';
    start(secondTallies(), (store) =>
      storeWith(store, {
        readModel: (definition) =>
          modelWith(store.readModel(definition), {
            isShared: true,
            takeTurn: async () => holder === 'this',
            // It is never ready to go over.
            successor: async () => undefined,
          }),
      }),
    );
    await lookedAfter();
    expect(news).toEqual([]);
    holder = 'this';
    await eventually('it is rebuilt', () => states().includes('done'), PATIENCE_MS);
    await lookedAfter();
    expect(states()).toEqual(['begun', 'done']);
  });

  it('begin from nothing, and only then serve, in a version that continues none', async () => {
    const { projections, model } = start({ ...tallies, version: 2, evolve: signed });
    expect(model.version).toBe(2);
    expect(await model.checkpoint()).toBe(START);
    await projections.caughtUp();
    expect(await total(model)).toEqual({ sum: 3, by: 2 });
    expect(news).toEqual([]);
    expect(databases()).toHaveLength(1);
  });
});
