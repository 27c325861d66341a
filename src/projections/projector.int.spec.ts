import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../test/harness/temp-directory.js';
import { modelWith } from '../../test/specs/model-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../kernel/errors.js';
import { START } from '../kernel/position.js';
import type { ReadModel, ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Projector } from './projector.js';
import type { ProjectorNews } from './projector-state.js';
import { rebuild } from './rebuild.js';

const PATIENCE_MS = 10_000;

describe('the projector', () => {
  const registry = new EventRegistry([tallied]);
  let log: EventLog;
  let store: ReadStore;
  let model: ReadModel;
  let abort: AbortController;
  let running: Promise<void>;
  let told: ProjectorNews[];

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(':memory:');
    model = store.readModel(tallies);
    abort = new AbortController();
    running = Promise.resolve();
    told = [];
  });

  afterEach(async () => {
    abort.abort();
    await running;
    await store.close();
    await log.close();
  });

  const projector = (over: ReadModel = model): Projector =>
    new Projector(tallies, log, registry, over, (news) => told.push(news));

  const start = (over?: ReadModel): Projector => {
    const started = projector(over);
    running = started.run(abort.signal);
    return started;
  };

  const write = async (amount: number, type = 'Tallied', data: object = { name: 'a', amount }) =>
    (await log.append(`s-${randomUUID()}`, [event(data, type)], 'no-stream')).position;

  /** The model, which tells of every attempt: each begins with a look at the checkpoint. */
  const counting = (tell: () => void): ReadModel =>
    modelWith(model, {
      checkpoint: () => {
        tell();
        return model.checkpoint();
      },
    });

  const total = async (): Promise<unknown> => (await model.get('totals', 'all'))?.document.sum;

  it('lets events gather for one write until somebody waits for them', async () => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    try {
      const { progress, caughtUp } = start();
      await caughtUp;
      const first = await write(1);
      expect(await progress.waitFor(first, PATIENCE_MS)).toBe(true);
      const writing = jest.spyOn(model, 'write');
      let last = first;
      for (let amount = 2; amount <= 20; amount += 1) last = await write(amount);
      expect({ at: progress.position, written: writing.mock.calls.length }).toEqual({
        at: first,
        written: 0,
      });
      expect(await progress.waitFor(last, PATIENCE_MS)).toBe(true);
      expect(writing).toHaveBeenCalledTimes(1);
      expect(await total()).toBe(210);
    } finally {
      jest.useRealTimers();
    }
  });

  it('folds what is there and what comes, and says how far it is', async () => {
    await write(1);
    const { progress, caughtUp } = start();
    await caughtUp;
    expect(await total()).toBe(1);
    expect(await progress.waitFor(await write(2), PATIENCE_MS)).toBe(true);
    expect(await total()).toBe(3);
  });

  it('goes on where it stopped', async () => {
    await write(1);
    await start().caughtUp;
    abort.abort();
    await running;
    abort = new AbortController();
    await write(10);
    await start().caughtUp;
    expect(await total()).toBe(11);
  });

  it('is past events that are none of its own, and leaves its checkpoint there', async () => {
    const { progress, caughtUp } = start();
    await caughtUp;
    const position = await write(0, 'Unheard');
    expect(await progress.waitFor(position, PATIENCE_MS)).toBe(true);
    abort.abort();
    await running;
    expect(await model.checkpoint()).toBe(position);
  });

  it('counts nothing twice when two project into one store', async () => {
    const others = start();
    const second = projector();
    const alsoRunning = second.run(abort.signal);
    let position = START;
    for (let count = 0; count < 200; count++) position = await write(1);
    await others.progress.waitFor(position, PATIENCE_MS);
    await second.progress.waitFor(position, PATIENCE_MS);
    expect(await total()).toBe(200);
    abort.abort();
    await alsoRunning;
  });

  it('stops at an event it cannot read, with what is before it folded and nothing after it, and names it', async () => {
    const before = await write(1);
    const bad = await write(0, 'Tallied', { name: 5 });
    await write(1);
    const stuck = start();
    await until(() => stuck.state === 'stuck');
    expect(String(stuck.fault)).toContain(`at position ${bad}`);
    expect(told).toEqual([{ projection: 'tallies', state: 'stuck', error: stuck.fault }]);
    expect(await total()).toBe(1);
    expect(await model.checkpoint()).toBe(before);
  });

  it('does not go back over events that are none of its own when it tries again', async () => {
    let attempts = 0;
    const stuck = start(counting(() => (attempts += 1)));
    await stuck.caughtUp;
    const position = await write(0, 'Unheard');
    expect(await stuck.progress.waitFor(position, PATIENCE_MS)).toBe(true);
    await write(0, 'Tallied', { name: 5 });
    await until(() => attempts > 2);
    expect(stuck.progress.position).toBe(position);
  });

  it('heals by itself when the store comes back, loses nothing, and says each once', async () => {
    await write(1);
    let broken = true;
    let attempts = 0;
    const flaky = modelWith(model, {
      write: (writes, from, to) => {
        attempts += 1;
        return broken
          ? Promise.reject(new Unavailable('read store', new Error('gone')))
          : model.write(writes, from, to);
      },
    });
    const healing = start(flaky);
    await until(() => attempts > 2);
    broken = false;
    await healing.caughtUp;
    expect(healing.state).toBe('live');
    expect(healing.fault).toBeNull();
    expect(told.map(({ state }) => state)).toEqual(['stuck', 'live']);
    expect(await total()).toBe(1);
  });

  it('says so when its checkpoint is not in the log, and never overlooks it', async () => {
    await write(1);
    await start().caughtUp;
    abort.abort();
    await running;
    abort = new AbortController();
    await log.close();
    log = new SqliteEventLog(':memory:');
    await write(7);
    await write(7);
    let attempts = 0;
    const lost = start(counting(() => (attempts += 1)));
    await until(() => lost.state === 'stuck');
    expect(String(lost.fault)).toContain('is not in the log');
    await write(7);
    await until(() => attempts > 3);
    expect(lost.state).toBe('stuck');
    expect(await total()).toBe(1);
  });

  it('goes over to a generation that came to serve, and never shows less than before', async () => {
    const directory = makeTempDirectory();
    const ours = new SqliteReadStore(directory.path);
    const operators = new SqliteReadStore(directory.path);
    const kept = ours.readModel(tallies);
    const sources = { log, registry, store: operators };
    const { progress, caughtUp } = start(kept);
    await caughtUp;
    const goneOver: ProjectorNews[] = [];
    let written = 0;
    for (let round = 0; round < 5; round++) {
      const { generation } = kept;
      const rebuilding = rebuild(tallies, sources);
      while (kept.generation === generation) {
        await progress.waitFor(await write(1), PATIENCE_MS);
        written += 1;
        expect(await kept.get('totals', 'all')).toMatchObject({ document: { sum: written } });
      }
      expect(await rebuilding).toMatchObject({ differences: 0 });
      goneOver.push({ projection: 'tallies', state: 'gone-over', generation: kept.generation });
    }
    expect(told).toEqual(goneOver);
    abort.abort();
    await running;
    await ours.close();
    await operators.close();
    directory.remove();
  });

  it('shows nothing older at the moment at which it goes over to a generation that is behind', async () => {
    const directory = makeTempDirectory();
    const ours = new SqliteReadStore(directory.path);
    const operators = new SqliteReadStore(directory.path);
    model = ours.readModel(tallies);
    const [first, last] = [await write(1), await write(2)];
    const going = start();
    await going.caughtUp;
    try {
      const filling = await operators.fill(tallies);
      await projector(filling.model).catchUp({ upTo: first });
      // Nobody waits for what is shown: it is looked at as it is, whenever something changes.
      const positions: string[] = [];
      const totals: Promise<unknown>[] = [];
      going.observe(() => {
        positions.push(going.progress.position);
        totals.push(total());
      });
      await filling.serve();
      await until(() => told.some(({ state }) => state === 'gone-over'));
      await going.progress.waitFor(await write(4), PATIENCE_MS);
      expect(positions.filter((position) => position < last)).toEqual([]);
      expect([...new Set(await Promise.all(totals))]).toEqual([3, 7]);
    } finally {
      abort.abort();
      await running;
      await ours.close();
      await operators.close();
      directory.remove();
    }
  });

  it('catches up once for a process that does not stay', async () => {
    await write(4);
    const once = projector();
    await once.catchUp();
    expect(await total()).toBe(4);
    expect(once.progress.position).toBe(await log.head());
  });
});

async function until(condition: () => boolean): Promise<void> {
  const deadline = Date.now() + PATIENCE_MS;
  while (!condition()) {
    if (Date.now() > deadline) throw new Error('the condition never came true');
    await new Promise(setImmediate);
  }
}
