import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { event } from '../../test/contracts/opened-log.js';
import { eventually } from '../../test/harness/eventually.js';
import { modelWith } from '../../test/specs/model-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import type { EventLog } from '../event-log/event-log.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../kernel/errors.js';
import type { ReadModel, ReadStore } from '../read-store/read-store.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Projector } from './projector.js';
import type { ProjectorNews } from './projector-state.js';

/** As many as the log gives at once. */
const BATCH_EVENTS = 300;

describe('the state of a projector', () => {
  const registry = new EventRegistry([tallied]);
  let log: EventLog;
  let stores: ReadStore[];
  let model: ReadModel;
  let abort: AbortController;
  let running: Promise<void>;
  let told: ProjectorNews[];

  beforeEach(() => {
    log = new SqliteEventLog(':memory:');
    stores = [];
    model = emptyModel();
    abort = new AbortController();
    told = [];
  });

  afterEach(async () => {
    abort.abort();
    await running;
    for (const store of stores) await store.close();
    await log.close();
  });

  function emptyModel(): ReadModel {
    const store = new SqliteReadStore(':memory:');
    stores.push(store);
    return store.readModel(tallies);
  }

  function start(over: ReadModel): Projector {
    const started = new Projector(tallies, log, registry, over, (news) => told.push(news));
    running = started.run(abort.signal);
    return started;
  }

  async function write(count: number): Promise<void> {
    const events = Array.from({ length: count }, () => event({ name: 'a', amount: 1 }, 'Tallied'));
    await log.append(`s-${randomUUID()}`, events, 'no-stream');
  }

  it('is catching up, and not stuck any more, once it got past a fault, though there is more to fold', async () => {
    for (let append = 0; append < 3; append++) await write(BATCH_EVENTS);
    const states: string[] = [];
    let faulty = true;
    const flaky = modelWith(model, {
      write: (writes, from, to) => {
        states.push(healing.state);
        if (states.length < 2 || !faulty) return model.write(writes, from, to);
        faulty = false;
        return Promise.reject(new Unavailable('read store', new Error('gone')));
      },
    });
    const healing = start(flaky);
    await healing.caughtUp;
    expect(states).toEqual(['catching-up', 'catching-up', 'stuck', 'catching-up']);
    expect(told.map(({ state }) => state)).toEqual(['stuck', 'live']);
  });

  it('is catching up again when the store lost what it had', async () => {
    const states: string[] = [];
    let kept = model;
    const losing = modelWith(model, {
      checkpoint: () => kept.checkpoint(),
      getMany: (collection, keys) => kept.getMany(collection, keys),
      write: (writes, from, to) => {
        states.push(projecting.state);
        return kept.write(writes, from, to);
      },
    });
    await write(1);
    const projecting = start(losing);
    await projecting.caughtUp;
    kept = emptyModel();
    await write(1);
    await eventually('it is live again', () =>
      Promise.resolve(states.length > 2 && projecting.state === 'live'),
    );
    expect(states).toEqual(['catching-up', 'live', 'catching-up']);
    expect((await kept.get('totals', 'all'))?.document.sum).toBe(2);
  });
});
