import { randomUUID } from 'node:crypto';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { event } from '../../test/contracts/opened-log.js';
import { eventually } from '../../test/harness/eventually.js';
import { makeTempDirectory } from '../../test/harness/temp-directory.js';
import { modelWith } from '../../test/specs/model-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { pause } from './pause.js';
import { Projector } from './projector.js';
import { rebuild } from './rebuild.js';

/** "Within a second" on a busy machine; by then the pause would have a second to go still. */
const AT_ONCE_MS = 2_000;
/** Failed attempts after which a pause takes 3.2 s. */
const ATTEMPTS = 6;

describe('a stuck projection', () => {
  let directory: ReturnType<typeof makeTempDirectory>;
  let store: SqliteReadStore;

  beforeEach(() => {
    directory = makeTempDirectory();
    store = new SqliteReadStore(directory.path);
  });

  afterEach(async () => {
    await store.close();
    directory.remove();
  });

  it('goes over to its rebuild within a second, however long it has been stuck', async () => {
    const registry = new EventRegistry([tallied]);
    const tally = (log: SqliteEventLog) =>
      log.append(`s-${randomUUID()}`, [event({ name: 'a', amount: 1 }, 'Tallied')], 'no-stream');
    const lost = new SqliteEventLog(':memory:');
    for (let times = 0; times < 2; times++) await tally(lost);
    const model = store.readModel(tallies);
    const before = new Projector(tallies, lost, registry, model, () => undefined);
    await before.catchUp();
    await lost.close();
    const log = new SqliteEventLog(':memory:');
    await tally(log);
    let attempts = 0;
    const counting = modelWith(model, {
      checkpoint: () => {
        attempts += 1;
        return model.checkpoint();
      },
    });
    const abort = new AbortController();
    const stuck = new Projector(tallies, log, registry, counting, () => undefined);
    const running = stuck.run(abort.signal);
    await eventually('it was stuck for long', () => attempts >= ATTEMPTS, 10_000);
    const operators = new SqliteReadStore(directory.path);
    await rebuild(tallies, { log, registry, store: operators });
    await eventually('it is live', () => stuck.state === 'live', AT_ONCE_MS);
    abort.abort();
    await running;
    await operators.close();
    await log.close();
  });

  it('does not try to go over again and again to a rebuild that it could not go over to', async () => {
    let looks = 0;
    const model = modelWith(store.readModel(tallies), {
      isSuperseded: async () => (looks += 1) > 0,
    });
    const began = performance.now();
    await pause(model, 600, new AbortController().signal);
    expect(performance.now() - began).toBeGreaterThan(590);
    expect(looks).toBe(1);
  });
});
