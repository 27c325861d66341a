import { randomUUID } from 'node:crypto';
import { join } from 'node:path';
import { afterAll, afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTempDirectory } from '../../../test/support/harness/temp-directory.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { ReadModel } from '../projections/read-model.js';
import { readModelsHere } from '../../../test/support/specs/read-models-here.js';
import { sum, tallies, tally } from '../../../test/support/specs/tally.js';
import { talliedV1, talliedV2, talliedV3 } from '../../../test/support/specs/tally-versions.js';
import type { EventDefinition } from '../../kernel/event.js';
import { START } from '../../kernel/position.js';
import { allParkedIn } from '../projections/parked-accounts.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { DecisionRunner } from '../decisions/decision-runner.js';
import type { EventLog, RecordedEvent } from './event-log.js';
import { EventRegistry } from './event-registry.js';
import { SqliteEventLog } from './sqlite/sqlite-event-log.js';
import { eventsUpToHead } from './events-up-to-head.js';

const STREAM = 'tally-1';

/** The events of successive releases, each with the newest version that the release knew. */
const releases: readonly (readonly [EventDefinition, ...(readonly object[])])[] = [
  [talliedV1, { count: 1 }, { count: 10 }],
  [talliedV2, { name: 'ada', count: 100 }],
  [talliedV3, { name: 'ada', amount: 1_000 }],
];

describe('a log that several versions of an event were written to', () => {
  const directory = makeTempDirectory();
  const registry = new EventRegistry([talliedV3]);
  let file: string;
  let log: EventLog;

  beforeEach(async () => {
    file = join(directory.path, `${randomUUID()}.db`);
    for (const [definition, ...written] of releases) await release(definition, written);
    log = new SqliteEventLog(file);
  });

  afterEach(async () => {
    await log.close();
  });

  afterAll(() => {
    directory.remove();
  });

  /** Opens the log as a release that declares an event as `definition`, writes, and closes it. */
  async function release(definition: EventDefinition, written: readonly object[]): Promise<void> {
    const older = new SqliteEventLog(file);
    const encoder = new EventRegistry([definition]);
    const { length } = (await older.readStream(STREAM)).events;
    for (const [index, data] of written.entries()) {
      const encoded = encoder.encode({ type: 'Tallied', data });
      const event = { id: randomUUID(), ...encoded, metadata: metadataAt(0, 'account-7') };
      const revision = length + index - 1;
      await older.append(STREAM, [event], revision < 0 ? 'no-stream' : revision);
    }
    await older.close();
  }

  async function stored(): Promise<RecordedEvent[]> {
    const events: RecordedEvent[] = [];
    for await (const batch of eventsUpToHead(log, START)) events.push(...batch.events);
    return events;
  }

  it('is read in the current version, and keeps what was stored', async () => {
    const events = await stored();
    expect(events.map(({ version }) => version)).toEqual([1, 1, 2, 3]);
    expect(events[0]?.data).toEqual({ count: 1 });
    expect(events.map((event) => registry.decode(event)?.data)).toEqual([
      { name: 'account-7', amount: 1 },
      { name: 'account-7', amount: 10 },
      { name: 'ada', amount: 100 },
      { name: 'ada', amount: 1_000 },
    ]);
  });

  it('is folded into read models', async () => {
    const store = new SqliteReadStore(':memory:');
    const models = readModelsHere(TALLIES, { log, registry, store });
    models.start();
    await models.caughtUp;
    const model = new ReadModel(tallies, models);
    const documentOf = (collection: 'names' | 'totals', key: string): Promise<object | undefined> =>
      model.readNow(null, (view) => view.get(collection, key));
    expect(await documentOf('names', 'account-7')).toEqual({ sum: 11 });
    expect(await documentOf('names', 'ada')).toEqual({ sum: 1_100 });
    expect(await documentOf('totals', 'all')).toEqual({ sum: 1_111 });
    await models.stop();
    await store.close();
  });

  it('is decided on, and gets new events in the current version', async () => {
    const runner = new DecisionRunner(log, registry, { now: () => new Date(0) });
    expect(await runner.load(sum, '1')).toBe(1_111);
    const decided = await runner.run({
      aggregate: sum,
      id: '1',
      origin: { actor: { type: 'system', id: 'test', user_id: null }, requestId: null },
      accountId: 'account-7',
      decide: (state) => [tally('bob', state)],
    });
    expect(decided.state).toBe(2_222);
    expect((await stored()).at(-1)).toMatchObject({
      version: 3,
      data: { name: 'bob', amount: 1_111 },
    });
  });

  it('parks the account of an event of an unknown version, which is named', async () => {
    const older = new EventRegistry([talliedV2]);
    const [, later] = (await stored()).slice(-2);
    const store = new SqliteReadStore(':memory:');
    const models = readModelsHere(TALLIES, { log, registry: older, store });
    models.start();
    await models.caughtUp;
    const parked = await models.read(allParkedIn);
    expect(parked).toMatchObject([{ account_id: 'account-7', event_id: later?.id }]);
    expect(parked[0]?.problem).toContain(`event ${later?.id} (Tallied version 3)`);
    await models.stop();
    await store.close();
  });
});
