import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import type { MessagePort } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { eventually } from '../../../test/harness/eventually.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { secondTallies } from '../../../test/specs/second-tallies.js';
import { tallied, tallies } from '../../../test/specs/tally.js';
import { ThreadHere } from '../../../test/specs/thread-here.js';
import type { EventLog } from '../../event-log/event-log.js';
import { EventRegistry } from '../../event-log/event-registry.js';
import { SqliteEventLog } from '../../event-log/sqlite/sqlite-event-log.js';
import type { Position } from '../../kernel/position.js';
import type { ReadModel } from '../../read-store/read-store.js';
import { SqliteReadStore } from '../../read-store/sqlite/sqlite-read-store.js';
import { Maintenance } from '../maintenance.js';
import type { RebuildNews } from '../outdated-projections.js';
import type { ProjectorNews } from '../projector-state.js';
import { Projections } from '../projections.js';
import { ReadYourWrites } from '../read-your-writes.js';
import { ProjectionThread } from './projection-thread.js';
import { serveThread } from './serve-thread.js';

const PATIENCE_MS = 20_000;

describe('projections that a thread of their own keeps up to date', () => {
  const registry = new EventRegistry([tallied]);
  let directory: ReturnType<typeof makeTempDirectory>;
  let log: EventLog;
  let running: { projections: Projections; store: SqliteReadStore } | undefined;
  let threads: ThreadHere[];
  /** How often no thread can be had. */
  let refusals: number;
  let news: ProjectorNews[];
  let rebuilds: RebuildNews[];

  const openLog = () => new SqliteEventLog(join(directory.path, 'events.db'));
  const readModels = () => join(directory.path, 'read-models');

  beforeEach(() => {
    directory = makeTempDirectory();
    log = openLog();
    threads = [];
    refusals = 0;
    news = [];
    rebuilds = [];
  });

  afterEach(async () => {
    await stop();
    await log.close();
    directory.remove();
  });

  /** The program of the thread, with connections of its own. */
  async function serve(port: MessagePort, projection: typeof tallies): Promise<void> {
    const sources = { log: openLog(), registry, store: new SqliteReadStore(readModels()) };
    await serveThread(port, [projection], sources);
    await sources.store.close();
    await sources.log.close();
  }

  function start(projection = tallies) {
    const store = new SqliteReadStore(readModels(), 'reads');
    const begin = (): ThreadHere => {
      if (refusals-- > 0) throw new Error('no thread can be had');
      const thread = new ThreadHere((port) => serve(port, projection));
      threads.push(thread);
      return thread;
    };
    const driver = new ProjectionThread(begin, [projection], store, {
      tell: (told) => news.push(told),
      onRebuild: (told) => rebuilds.push(told),
    });
    const projections = new Projections(driver);
    running = { projections, store };
    projections.start();
    const tallying = projections.get('tallies');
    const reads = new ReadYourWrites(log, projections, PATIENCE_MS);
    return { projections, tallying, model: tallying.model, reads };
  }

  async function stop(): Promise<void> {
    await running?.projections.stop();
    await running?.store.close();
    running = undefined;
  }

  const write = async (data: object): Promise<Position> =>
    (await log.append(`s-${randomUUID()}`, [event(data, 'Tallied')], 'no-stream')).position;
  const add = (amount: number) => write({ name: 'a', amount });
  const total = async (model: ReadModel) => (await model.get('totals', 'all'))?.document;
  const rebuild = async () => {
    const store = new SqliteReadStore(readModels());
    await new Maintenance([tallies], { log, registry, store }).rebuild('tallies');
    await store.close();
  };

  it('are read here as far as the log went when the read began', async () => {
    await add(1);
    const { projections, tallying, model, reads } = start();
    await projections.caughtUp();
    expect(tallying.state).toBe('live');
    for (let sum = 2; sum <= 50; sum++) {
      const position = await add(1);
      expect(await reads.settled('tallies')).toBe(position);
      expect(await total(model)).toEqual({ sum });
    }
    expect(tallying.eventsFolded).toBe(50);
    expect(news).toEqual([]);
  });

  it('are folded at once when somebody waits for them, however long nobody did', async () => {
    // By which a log looks for itself, and by which events are gathered.
    jest.useFakeTimers({
      doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask', 'performance'],
    });
    try {
      const { projections, tallying, reads } = start();
      await projections.caughtUp();
      await add(1);
      await eventually('it is folded', () => {
        jest.advanceTimersByTime(100);
        return tallying.eventsFolded === 1;
      });
      // What comes after the first of them is gathered.
      for (const count of [2, 3]) {
        await add(1);
        const reading = reads.reached('tallies');
        await eventually('no time passes', () => tallying.eventsFolded === count);
        await reading;
      }
    } finally {
      jest.advanceTimersByTime(100);
      jest.useRealTimers();
    }
  });

  it('are stuck here too where an event cannot be read, which is told once, and are read on', async () => {
    const good = await add(1);
    await write({ name: 'a' });
    const { tallying, model } = start();
    await eventually('it is stuck', () => tallying.state === 'stuck', PATIENCE_MS);
    expect(String(tallying.fault)).toMatch(/^UnreadableEventError: .*Tallied/s);
    expect(tallying.progress.position).toBe(good);
    expect(await total(model)).toEqual({ sum: 1 });
    expect(news).toEqual([{ projection: 'tallies', state: 'stuck', error: tallying.fault }]);
  });

  it('go over here to what was rebuilt, and what is read never goes back', async () => {
    await add(1);
    const { projections, tallying, model, reads } = start();
    await projections.caughtUp();
    const first = model.generation;
    const rebuilt = rebuild();
    let sum = 1;
    do {
      sum += 1;
      await add(1);
      await reads.reached('tallies');
      expect(await total(model)).toEqual({ sum });
    } while (model.generation === first);
    await rebuilt;
    await add(1);
    await reads.reached('tallies');
    expect(await total(model)).toEqual({ sum: sum + 1 });
    expect(tallying.state).toBe('live');
    const { generation } = model;
    expect(news).toEqual([{ projection: 'tallies', state: 'gone-over', generation }]);
  });

  it('are rebuilt where an earlier version left what they continue, which is told here', async () => {
    await add(1);
    await start().projections.caughtUp();
    await stop();
    const { model, reads } = start(secondTallies());
    await eventually('it has gone over', () => model.version === 2, PATIENCE_MS);
    await add(1);
    await reads.reached('tallies');
    expect(await total(model)).toEqual({ sum: 2, by: 2 });
    expect(rebuilds.map(({ state }) => state)).toEqual(['begun', 'done']);
  });

  it('are stuck while their thread is gone, read on, and go on in another', async () => {
    const { projections, tallying, model, reads } = start();
    await add(1);
    await projections.caughtUp();
    await reads.reached('tallies');
    threads[0]?.fail(new Error('out of memory'));
    await eventually('it is stuck', () => tallying.state === 'stuck', PATIENCE_MS);
    expect(String(tallying.fault)).toContain('out of memory');
    expect(await total(model)).toEqual({ sum: 1 });
    await add(1);
    await reads.reached('tallies');
    expect(await total(model)).toEqual({ sum: 2 });
    await eventually('it is live', () => tallying.state === 'live', PATIENCE_MS);
    expect(threads).toHaveLength(2);
    expect(tallying.eventsFolded).toBe(2);
    expect(news.map(({ state }) => state)).toEqual(['stuck', 'live']);
  });

  it('are stuck while no thread can be had, and go on in the first that can', async () => {
    refusals = 1;
    await add(1);
    const { projections, tallying } = start();
    await projections.caughtUp();
    expect(tallying.state).toBe('live');
    expect(news).toEqual([
      { projection: 'tallies', state: 'stuck', error: new Error('no thread can be had') },
      { projection: 'tallies', state: 'live' },
    ]);
  });

  it('go over to a generation that could not be opened at first, though nothing more happens', async () => {
    await add(1);
    const { projections, tallying, model } = start();
    await projections.caughtUp();
    const first = model.generation;
    const successor = model.successor.bind(model);
    let faults = 0;
    model.successor = () => {
      faults += 1;
      return faults === 1 ? Promise.reject(new Error('too many open files')) : successor();
    };
    await rebuild();
    await eventually('it is stuck', () => tallying.state === 'stuck', PATIENCE_MS);
    await eventually('it is live', () => tallying.state === 'live', PATIENCE_MS);
    expect(model.generation).toBeGreaterThan(first);
    expect(await total(model)).toEqual({ sum: 1 });
  });

  it.each([
    ['', 0],
    [', also when somebody did before there was a thread', 1],
  ])(
    'are read as far as they are in a first replay, by whoever waited in vain%s',
    async (_, gaps) => {
      refusals = gaps;
      await add(1);
      await write({ name: 'a' });
      const listed: typeof tallies = {
        ...tallies,
        touches: () => [],
        creates: ({ data }) => [{ collection: 'names', key: data.name }],
        evolve: (_, { data: { name: key } }) => [
          { collection: 'names', key, document: { is: 'there' } },
        ],
      };
      const { projections, model } = start(listed);
      const reads = new ReadYourWrites(log, projections, 50);
      if (gaps > 0) await reads.settled('tallies');
      expect(threads).toHaveLength(gaps > 0 ? 0 : 1);
      await eventually('there is a thread', () => threads.length === 1, PATIENCE_MS);
      await reads.settled('tallies');
      const found = await model.snapshot((view) => view.get('names', 'a'));
      expect(found?.document).toEqual({ is: 'there' });
    },
  );

  it('end at their checkpoint when they are stopped, and begin no other thread', async () => {
    const { projections, reads } = start();
    await projections.caughtUp();
    const position = await add(1);
    await reads.reached('tallies');
    await stop();
    const store = new SqliteReadStore(readModels());
    expect(await store.readModel(tallies).checkpoint()).toBe(position);
    await store.close();
    expect(threads).toHaveLength(1);
    expect(news).toEqual([]);
  });
});
