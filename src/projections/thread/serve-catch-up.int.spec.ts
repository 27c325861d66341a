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
import type { Role } from '../../read-store/sqlite/role.js';
import { SqliteReadStore } from '../../read-store/sqlite/sqlite-read-store.js';
import type { ProjectorNews } from '../projector-state.js';
import { Projections } from '../projections.js';
import { Projectors } from '../projectors.js';
import { catchUpIn } from './catch-up-in.js';
import { type Behind, serveCatchUp } from './serve-catch-up.js';
import type { CatchUpReport } from './thread-messages.js';

const PATIENCE_MS = 20_000;
const WORTH_A_THREAD = 3;
/** Longer than a write waits for the command line. */
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

describe('a projection that another thread catches up', () => {
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
  const openStore = (role?: Role) => new SqliteReadStore(join(directory.path, 'read-models'), role);
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
  async function serve(port: MessagePort, behind: Behind): Promise<void> {
    const sources = { log: openLog(), registry, store: openStore('helps') };
    await serveCatchUp(port, behind, sources);
    await sources.store.close();
    await sources.log.close();
  }

  function start(program = serve) {
    const sources = { log, registry, store };
    const observer = {
      tell: (told: ProjectorNews) => news.push(told),
      onRebuild: () => undefined,
    };
    const projectors = new Projectors([first, last], sources, observer, {
      from: WORTH_A_THREAD,
      catchUp: (projection, options) => {
        const thread = new ThreadHere((port) =>
          program(port, { projection, generation: options.generation }),
        );
        begun.push({ name: projection.name, thread });
        return catchUpIn(thread, options);
      },
    });
    projections = new Projections(projectors);
    projections.start();
    return { projections, helped: projections.get('last') };
  }

  const total = async () => (await store.readModel(last).get('totals', 'all'))?.document;

  it('is the last one, where it is far behind, and is folded on here', async () => {
    for (const amount of [1, 2, 3]) await tally(amount);
    const { projections: all, helped } = start();
    await all.caughtUp();
    expect(begun.map(({ name }) => name)).toEqual(['last']);
    expect(helped.eventsFolded).toBe(3);
    expect(await total()).toEqual({ sum: 6 });
    const position = await tally(4);
    expect(await helped.progress.waitFor(position, PATIENCE_MS)).toBe(true);
    expect(await total()).toEqual({ sum: 10 });
    expect(helped.eventsFolded).toBe(4);
    expect(news).toEqual([]);
  });

  it('is none where it is not worth a thread', async () => {
    for (const amount of [1, 2]) await tally(amount);
    const { projections: all } = start();
    await all.caughtUp();
    expect(begun).toEqual([]);
    expect(await total()).toEqual({ sum: 3 });
  });

  it('goes along here with how far it is', async () => {
    for (const amount of [1, 2]) await tally(amount);
    const position = await tally(3);
    const { projections: all, helped } = start(async (port) => {
      const report: CatchUpReport = { kind: 'reached', position, eventsFolded: 7 };
      port.postMessage(report);
      await once(port, 'message');
    });
    expect(await helped.progress.waitFor(position, PATIENCE_MS)).toBe(true);
    expect(helped).toMatchObject({ state: 'catching-up', eventsFolded: 7 });
    // Not before the thread is told to stop.
    await all.stop();
    expect(news).toEqual([]);
  });

  it('is folded here when its thread dies, which is told', async () => {
    for (const amount of [1, 2, 3]) await tally(amount);
    const { projections: all } = start(async () => {
      throw new Error('out of memory');
    });
    await all.caughtUp();
    expect(await total()).toEqual({ sum: 6 });
    expect(news).toEqual([
      { projection: 'last', state: 'stuck', error: new Error('out of memory') },
      { projection: 'last', state: 'live' },
    ]);
  });

  it('is stuck where an event cannot be read, and reflects what is before it', async () => {
    const good = await tally(1);
    await add({ name: 'a' });
    await tally(2);
    const { helped } = start();
    await eventually('it is stuck', () => helped.state === 'stuck', PATIENCE_MS);
    expect(begun).toHaveLength(1);
    expect(String(helped.fault)).toContain('Tallied');
    expect(helped.progress.position).toBe(good);
    expect(helped.eventsFolded).toBe(1);
    expect(await total()).toEqual({ sum: 1 });
  });

  it('is where it was when its thread cannot be had', async () => {
    const position = await tally(1);
    const before = start();
    await before.projections.caughtUp();
    await before.projections.stop();
    for (const amount of [2, 3]) await tally(amount);
    await add({ name: 'a' });
    const positions: Position[] = [];
    const { helped } = start(async () => {
      positions.push(helped.progress.position);
      throw new Error('no thread can be had');
    });
    await eventually('it is stuck', () => helped.state === 'stuck', PATIENCE_MS);
    expect(positions).toEqual([position]);
  });

  describe('on its own', () => {
    function catchUp(
      onProgress: (reached: Position) => void,
      signal = new AbortController().signal,
      generation = 1,
    ): Promise<void> {
      const thread = new ThreadHere((port) => serve(port, { projection: last, generation }));
      return catchUpIn(thread, { signal, onProgress });
    }

    it('waits while the thread that it helps makes an index', async () => {
      await tally(1);
      await store.readModel(last).checkpoint();
      const file = join(directory.path, 'read-models', 'last.1.db');
      const locking = new Worker(LOCKS, { eval: true, workerData: { file, ms: LOCKED_MS } });
      await once(locking, 'message');
      const began = performance.now();
      await catchUp(() => undefined);
      expect(performance.now() - began).toBeGreaterThan(LOCKED_MS / 2);
      expect(await total()).toEqual({ sum: 1 });
      await once(locking, 'exit');
    });

    it('leaves alone what has come to serve in the place of what is folded on', async () => {
      await tally(1);
      const reached: Position[] = [];
      await catchUp((position) => reached.push(position), undefined, 2);
      expect(reached).toEqual([]);
      expect(await store.readModel(last).checkpoint()).toBe(START);
    });

    it('says how far it came, and what kept it from going on', async () => {
      const good = await tally(1);
      await add({ name: 'a' });
      const reached: Position[] = [];
      await expect(catchUp((position) => reached.push(position))).rejects.toMatchObject({
        name: 'UnreadableEventError',
      });
      expect(reached).toEqual([good]);
      expect(await total()).toEqual({ sum: 1 });
    });

    it.each(['before it begins', 'on its way'])(
      'ends at a checkpoint when it is told to stop %s, and goes on from there',
      async (when) => {
        const many = Array.from({ length: 3_000 }, () =>
          event({ name: 'a', amount: 1 }, 'Tallied'),
        );
        const head = (await log.append('long', many, 'no-stream')).position;
        const stopping = new AbortController();
        if (when === 'before it begins') stopping.abort();
        await catchUp(() => stopping.abort(), stopping.signal);
        expect((await store.readModel(last).checkpoint()) < head).toBe(true);
        await catchUp(() => undefined);
        expect(await store.readModel(last).checkpoint()).toBe(head);
        expect(await total()).toEqual({ sum: 3_000 });
      },
    );
  });
});
