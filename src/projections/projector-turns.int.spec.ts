import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { event } from '../../test/contracts/opened-log.js';
import { eventually } from '../../test/harness/eventually.js';
import { modelWith } from '../../test/specs/model-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { type Position, START } from '../kernel/position.js';
import { type ReadModel, type ReadStore, StaleCheckpointError } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Projector } from './projector.js';

const PATIENCE_MS = 10_000;

/** Two processes over one read model; who has the turn is kept here, as a store for many would keep it. */
describe('projectors that share a read model', () => {
  const registry = new EventRegistry([tallied]);
  let log: EventLog;
  let store: ReadStore;
  let model: ReadModel;
  let holder: string | undefined;
  let writers: string[];
  let faults: unknown[];
  let runs: { readonly abort: AbortController; readonly ended: Promise<void> }[];

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(':memory:');
    model = store.readModel(tallies);
    holder = undefined;
    writers = [];
    faults = [];
    runs = [];
  });

  afterEach(async () => {
    for (const { abort } of runs) abort.abort();
    await Promise.all(runs.map(({ ended }) => ended));
    await store.close();
    await log.close();
  });

  const projectorOf = (name: string): Projector => {
    const shared = modelWith(model, {
      isShared: true,
      takeTurn: async () => (holder ??= name) === name,
      giveUpTurn: async () => {
        if (holder === name) holder = undefined;
      },
      write: (writes, from, to) => {
        writers.push(name);
        return model.write(writes, from, to);
      },
    });
    return new Projector(tallies, log, registry, shared, (told) => faults.push(told));
  };

  const start = (projector: Projector): AbortController => {
    const abort = new AbortController();
    runs.push({ abort, ended: projector.run(abort.signal) });
    return abort;
  };

  const write = async (type = 'Tallied'): Promise<Position> => {
    const written = event({ name: 'a', amount: 1 }, type);
    return (await log.append(`s-${randomUUID()}`, [written], 'no-stream')).position;
  };

  const total = async (): Promise<unknown> => (await model.get('totals', 'all'))?.document.sum;

  it('leave the writing to the one that has the turn, and the others are as far', async () => {
    await write();
    const [leading, going] = [projectorOf('leading'), projectorOf('going')];
    start(leading);
    await leading.caughtUp;
    start(going);
    await going.caughtUp;
    for (let count = 0; count < 20; count++) {
      expect(await going.progress.waitFor(await write(), PATIENCE_MS)).toBe(true);
    }
    expect(await total()).toBe(21);
    expect(new Set(writers)).toEqual(new Set(['leading']));
    expect(going.state).toBe('live');
  });

  it('are all past an event that is none of theirs, without waiting for one that is', async () => {
    const [leading, going] = [projectorOf('leading'), projectorOf('going')];
    start(leading);
    await leading.caughtUp;
    start(going);
    await going.caughtUp;
    expect(await going.progress.waitFor(await write('Unheard'), PATIENCE_MS)).toBe(true);
  });

  it('take over from one that gives up its turn, and lose and double nothing', async () => {
    const [first, second] = [projectorOf('first'), projectorOf('second')];
    const stopFirst = start(first);
    await first.caughtUp;
    start(second);
    await second.caughtUp;
    await second.progress.waitFor(await write(), PATIENCE_MS);
    stopFirst.abort();
    expect(await second.progress.waitFor(await write(), PATIENCE_MS)).toBe(true);
    expect(holder).toBe('second');
    expect(await total()).toBe(2);
    expect(faults).toEqual([]);
  });

  it('let another try when one meets a fault, and say they are well when it healed', async () => {
    const [first, second] = [projectorOf('first'), projectorOf('second')];
    holder = 'first';
    let broken = true;
    first.model.write = (...args) =>
      broken ? Promise.reject(new Error('no way to the store')) : model.write(...args);
    await write();
    start(first);
    start(second);
    await second.caughtUp;
    expect(first.state).toBe('stuck');
    broken = false;
    await first.caughtUp;
    expect(first.state).toBe('live');
    expect(await total()).toBe(1);
  });

  it('are waited for by a process that does not stay', async () => {
    holder = 'another';
    const last = await write();
    const passing = projectorOf('passing');
    const caughtUp = passing.catchUp();
    await new Promise(setImmediate);
    expect(await total()).toBeUndefined();
    holder = undefined;
    await caughtUp;
    expect(passing.progress.position).toBe(last);
    expect(await total()).toBe(1);
    expect(holder).toBeUndefined();
  });

  it('are done in time though a turn cannot be given up', async () => {
    const last = await write();
    const stubborn = modelWith(model, { giveUpTurn: () => new Promise(() => undefined) });
    const passing = new Projector(tallies, log, registry, stubborn, () => undefined);
    await passing.catchUp();
    expect(passing.progress.position).toBe(last);
  });

  it('fold again what the read model lost, though nothing is written to the log', async () => {
    const last = await write();
    const leading = projectorOf('leading');
    start(leading);
    await leading.caughtUp;
    const other = new SqliteReadStore(':memory:');
    try {
      const empty = other.readModel(tallies);
      Object.assign(leading.model, modelWith(empty, { isShared: true }));
      const folded = async (): Promise<boolean> => (await empty.checkpoint()) === last;
      await eventually('all is folded again', folded);
      await eventually('it is live again', async () => leading.state === 'live');
      expect(await empty.get('totals', 'all')).toMatchObject({ document: { sum: 1 } });
      expect(leading.progress.position).toBe(last);
      for (const { abort } of runs) abort.abort();
      await Promise.all(runs.map(({ ended }) => ended));
    } finally {
      await other.close();
    }
  });

  it.each(['first', 'another'])(
    'are at once no farther than what is left of a read model that was lost, while the turn is with %s',
    async (name) => {
      holder = name;
      const last = await write();
      if (name === 'another') await model.write([], START, last);
      const projector = projectorOf('first');
      start(projector);
      await projector.caughtUp;
      expect(projector.progress.position).toBe(last);
      let goOn = (): void => undefined;
      const told = new Promise<void>((resolve) => (goOn = resolve));
      const head = log.head.bind(log);
      projector.model.write = () => Promise.reject(new StaleCheckpointError('tallies'));
      const looked = new Promise<Position>((resolve) => {
        projector.model.checkpoint = async () => {
          // Whatever is asked next has to wait.
          projector.model.successor = () => told.then(() => undefined);
          log.head = () => told.then(head);
          setImmediate(() => resolve(projector.progress.position));
          return START;
        };
      });
      await write();
      const position = await looked;
      goOn();
      expect(position).toBe(START);
    },
  );

  it('stop while they wait for another to fill what comes to serve, and are not stuck for it', async () => {
    const last = await write();
    const model = store.readModel(tallies);
    const next = modelWith(model, { checkpoint: async () => START, takeTurn: async () => false });
    let discarded = false;
    const replaced = modelWith(model, {
      successor: async () => ({
        model: next,
        serve: () => Promise.reject(new Error('it is not filled')),
        discard: async () => {
          discarded = true;
        },
      }),
    });
    const projector = new Projector(tallies, log, registry, replaced, (told) => faults.push(told));
    const abort = start(projector);
    await new Promise(setImmediate);
    abort.abort();
    await Promise.all(runs.map(({ ended }) => ended));
    expect(discarded).toBe(true);
    expect(faults).toEqual([]);
    expect(await log.head()).toBe(last);
  });
});
