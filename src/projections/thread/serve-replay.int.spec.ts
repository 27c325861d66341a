import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { type MessagePort, Worker } from 'node:worker_threads';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { eventually } from '../../../test/harness/eventually.js';
import { makeTempDirectory } from '../../../test/harness/temp-directory.js';
import { tallied, tallies } from '../../../test/specs/tally.js';
import { ThreadHere } from '../../../test/specs/thread-here.js';
import type { EventLog } from '../../event-log/event-log.js';
import { EventRegistry } from '../../event-log/event-registry.js';
import { SqliteEventLog } from '../../event-log/sqlite/sqlite-event-log.js';
import { type Position, START } from '../../kernel/position.js';
import { SqliteReadStore } from '../../read-store/sqlite/sqlite-read-store.js';
import type { ProjectorNews } from '../projector-state.js';
import { Projections } from '../projections.js';
import { Projectors } from '../projectors.js';
import { replayIn } from './replay-in.js';
import { serveReplay } from './serve-replay.js';
import type { ReplayReport } from './thread-messages.js';

const PATIENCE_MS = 20_000;
const LONG = 3;
/** Longer than a write to a read model waits for the command line. */
const LOCKED_MS = 800;
/** A thread that keeps a database locked for some time, as who waits for the lock holds this one. */
const LOCKS = `
  const { parentPort, workerData } = require('node:worker_threads');
  const db = new (require('better-sqlite3'))(workerData.file);
  db.exec('BEGIN IMMEDIATE');
  parentPort.postMessage('locked');
  Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, workerData.ms);
  db.exec('COMMIT');
  db.close();
`;

describe('a long replay', () => {
  const registry = new EventRegistry([tallied]);
  const first: typeof tallies = { ...tallies, name: 'first' };
  const last: typeof tallies = { ...tallies, name: 'last' };
  let directory: ReturnType<typeof makeTempDirectory>;
  let log: EventLog;
  let store: SqliteReadStore;
  let projections: Projections | undefined;
  let begun: { readonly name: string; readonly thread: ThreadHere }[];
  let news: ProjectorNews[];

  const openLog = () => new SqliteEventLog(join(directory.path, 'events.db'));
  const openStore = () => new SqliteReadStore(join(directory.path, 'read-models'));
  const add = async (data: object): Promise<Position> =>
    (await log.append(`s-${randomUUID()}`, [event(data, 'Tallied')], 'no-stream')).position;
  const tally = (amount: number) => add({ name: 'a', amount });

  beforeEach(() => {
    directory = makeTempDirectory();
    log = openLog();
    store = openStore();
    begun = [];
    news = [];
  });

  afterEach(async () => {
    await projections?.stop();
    await store.close();
    await log.close();
    directory.remove();
  });

  /** The program of the thread, with connections of its own. */
  async function serve(port: MessagePort): Promise<void> {
    const sources = { log: openLog(), registry, store: openStore() };
    await serveReplay(port, last, sources);
    await sources.store.close();
    await sources.log.close();
  }

  function start(program: ((port: MessagePort) => Promise<void>) | 'here' = serve) {
    const sources = { log, registry, store };
    const observer = {
      tell: (told: ProjectorNews) => news.push(told),
      onRebuild: () => undefined,
    };
    const projectors = new Projectors([first, last], sources, observer, {
      long: LONG,
      ...(program !== 'here' && {
        elsewhere: ({ name }, options) => {
          const thread = new ThreadHere(program);
          begun.push({ name, thread });
          return replayIn(thread, options);
        },
      }),
    });
    projections = new Projections(projectors);
    projections.start();
    return { projections, replayed: projections.get('last') };
  }

  const goneOver = (...names: string[]) =>
    names.map((projection) => ({ projection, state: 'gone-over', generation: 2 }));

  const total = async () => (await store.readModel(last).get('totals', 'all'))?.document;

  it('is made in a generation beside, by another thread for the last projection, and goes on here', async () => {
    for (const amount of [1, 2, 3]) await tally(amount);
    const { projections: all, replayed } = start();
    await all.caughtUp();
    expect(begun.map(({ name }) => name)).toEqual(['last']);
    expect(replayed.eventsFolded).toBe(3);
    expect(all.all.map(({ model }) => model.generation)).toEqual([2, 2]);
    expect(await total()).toEqual({ sum: 6 });
    const position = await tally(4);
    expect(await replayed.progress.waitFor(position, PATIENCE_MS)).toBe(true);
    expect(await total()).toEqual({ sum: 10 });
    expect(replayed.eventsFolded).toBe(4);
    expect(news).toEqual(goneOver('first', 'last'));
  });

  it('is made here where there is no other thread', async () => {
    for (const amount of [1, 2, 3]) await tally(amount);
    const { projections: all, replayed } = start('here');
    await all.caughtUp();
    expect(replayed.model.generation).toBe(2);
    expect(replayed.eventsFolded).toBe(3);
    expect(await total()).toEqual({ sum: 6 });
  });

  it('is none where there are few events', async () => {
    for (const amount of [1, 2]) await tally(amount);
    const { projections: all, replayed } = start();
    await all.caughtUp();
    expect(begun).toEqual([]);
    expect(replayed.model.generation).toBe(1);
    expect(await total()).toEqual({ sum: 3 });
  });

  it('is none of what was folded in part already', async () => {
    await tally(1);
    const before = start();
    await before.projections.caughtUp();
    await before.projections.stop();
    for (const amount of [2, 3, 4]) await tally(amount);
    const { projections: all, replayed } = start();
    await all.caughtUp();
    expect(begun).toEqual([]);
    expect(replayed.model.generation).toBe(1);
    expect(await total()).toEqual({ sum: 10 });
  });

  it('shows what it has folded, and nothing of it is read before it serves', async () => {
    for (const amount of [1, 2]) await tally(amount);
    const position = await tally(3);
    const { projections: all, replayed } = start(async (port) => {
      const report: ReplayReport = { kind: 'reached', position, eventsFolded: 7 };
      port.postMessage(report);
      await once(port, 'message');
    });
    await eventually('it is told', () => replayed.eventsFolded === 7, PATIENCE_MS);
    expect(replayed.state).toBe('catching-up');
    expect(replayed.progress.position).toBe(START);
    // Not before the thread is told to stop.
    await all.stop();
    expect(news).toEqual(goneOver('first'));
  });

  it('is made here, in place, when its thread dies, which is told', async () => {
    for (const amount of [1, 2, 3]) await tally(amount);
    const { projections: all } = start(async () => {
      throw new Error('out of memory');
    });
    await all.caughtUp();
    expect(await total()).toEqual({ sum: 6 });
    expect(news.filter(({ projection }) => projection === 'last')).toEqual([
      { projection: 'last', state: 'stuck', error: new Error('out of memory') },
      { projection: 'last', state: 'live' },
    ]);
  });

  it('is stuck where an event cannot be read, and reflects what is before it', async () => {
    const good = await tally(1);
    await add({ name: 'a' });
    await tally(2);
    const { replayed } = start();
    const reached = () => replayed.state === 'stuck' && replayed.progress.position === good;
    await eventually('it is stuck', reached, PATIENCE_MS);
    expect(begun).toHaveLength(1);
    expect(String(replayed.fault)).toContain('Tallied');
    expect(await total()).toEqual({ sum: 1 });
    expect(await store.isFilling(last)).toBe(false);
  });

  describe('in another thread', () => {
    function replay(
      onProgress: (reached: Position) => void,
      signal = new AbortController().signal,
    ): Promise<void> {
      return replayIn(new ThreadHere(serve), { signal, onProgress });
    }

    it('waits while another one begins or ends a generation', async () => {
      await tally(1);
      const file = join(directory.path, 'read-models', 'catalog.db');
      const locking = new Worker(LOCKS, { eval: true, workerData: { file, ms: LOCKED_MS } });
      await once(locking, 'message');
      const began = performance.now();
      await replay(() => undefined);
      expect(performance.now() - began).toBeGreaterThan(LOCKED_MS / 2);
      expect(await total()).toEqual({ sum: 1 });
      await once(locking, 'exit');
    });

    it('says how far it came, and what kept it from going on, and leaves nothing', async () => {
      const good = await tally(1);
      await add({ name: 'a' });
      const reached: Position[] = [];
      await expect(replay((position) => reached.push(position))).rejects.toMatchObject({
        name: 'UnreadableEventError',
      });
      expect(reached).toEqual([good]);
      expect(await store.readModel(last).checkpoint()).toBe(START);
      expect(await store.isFilling(last)).toBe(false);
    });

    it.each(['before it begins', 'on its way'])(
      'ends when it is told to stop %s, and leaves nothing',
      async (when) => {
        const many = Array.from({ length: 3_000 }, () =>
          event({ name: 'a', amount: 1 }, 'Tallied'),
        );
        // As appends of their own, which batches do not cut.
        for (let first = 0; first < many.length; first += 300)
          await log.append(`long-${first}`, many.slice(first, first + 300), 'no-stream');
        const stopping = new AbortController();
        if (when === 'before it begins') stopping.abort();
        const reached: Position[] = [];
        await replay((position) => {
          reached.push(position);
          stopping.abort();
        }, stopping.signal);
        expect(reached.length).toBeLessThan(6);
        expect(await store.readModel(last).checkpoint()).toBe(START);
        expect(await store.isFilling(last)).toBe(false);
        await replay(() => undefined);
        // This one stays with the generation that it has read.
        const other = openStore();
        const kept = await other.readModel(last).get('totals', 'all');
        await other.close();
        expect(kept?.document).toEqual({ sum: 3_000 });
      },
    );
  });
});
