import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { event } from '../../test/contracts/opened-log.js';
import { makeTempDirectory } from '../../test/harness/temp-directory.js';
import { modelWith } from '../../test/specs/model-with.js';
import { storeWith } from '../../test/specs/store-with.js';
import { tallied, tallies } from '../../test/specs/tally.js';
import { EventRegistry } from '../event-log/event-registry.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import { Unavailable } from '../kernel/errors.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { rebuild } from './rebuild.js';

describe('a rebuild', () => {
  const registry = new EventRegistry([tallied]);
  const malformed = new Unavailable('read store', new Error('malformed'));
  let directory: ReturnType<typeof makeTempDirectory>;
  let log: SqliteEventLog;
  let store: SqliteReadStore;

  beforeEach(async () => {
    directory = makeTempDirectory();
    log = new SqliteEventLog(':memory:');
    store = new SqliteReadStore(directory.path);
    store.readModel(tallies);
    await log.append('s', [event({ name: 'a', amount: 2 }, 'Tallied')], 'no-stream');
  });

  afterEach(async () => {
    await store.close();
    await log.close();
    directory.remove();
  });

  /** What serves can be asked for its checkpoint alone, as where pages of its file are damaged. */
  function damaged(onScan: () => void = () => undefined) {
    return storeWith(store, {
      readModel: (definition) =>
        modelWith(store.readModel(definition), {
          scan: () => {
            onScan();
            return Promise.reject(malformed);
          },
        }),
    });
  }

  it('replaces what serves also where that cannot be read, and says so', async () => {
    const sources = { log, registry, store: damaged() };
    const { events, differences } = await rebuild(tallies, sources);
    expect({ events, differences }).toEqual({ events: 1, differences: { unreadable: malformed } });
    const next = await store.readModel(tallies).successor();
    expect(await next?.model.get('totals', 'all')).toMatchObject({ document: { sum: 2 } });
    await next?.discard();
  });

  it('replaces nothing when it is ended just then', async () => {
    const stopping = new AbortController();
    const sources = { log, registry, store: damaged(() => stopping.abort(new Error('ended'))) };
    await expect(rebuild(tallies, sources, { signal: stopping.signal })).rejects.toThrow('ended');
    expect(await store.readModel(tallies).isSuperseded()).toBe(false);
    expect(await store.isFilling(tallies)).toBe(false);
  });
});
