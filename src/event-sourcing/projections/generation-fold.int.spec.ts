import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { event } from '../../../test/contracts/opened-log.js';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { tallied } from '../../../test/support/specs/tally.js';
import { EventRegistry, UnreadableEventError } from '../event-log/event-registry.js';
import { history } from '../event-log/history.js';
import { SqliteEventLog } from '../event-log/sqlite/sqlite-event-log.js';
import type { EventMetadata } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { decoded } from './decoded-batch.js';
import { GenerationFold } from './generation-fold.js';
import { Generations } from './generations.js';

let log: SqliteEventLog;
let store: SqliteReadStore;

beforeEach(() => {
  log = new SqliteEventLog(':memory:');
  store = new SqliteReadStore(':memory:');
});

afterEach(async () => {
  await store.close();
  await log.close();
});

it('writes nothing of a batch with an unreadable event that tells no account', async () => {
  const tally = (amount: unknown) => event({ name: 'a', amount }, 'Tallied');
  const { account_id: _, ...untold } = metadataAt(0);
  const metadata = untold as EventMetadata;
  await log.append('tally-1', [tally(1), { ...tally('no number'), metadata }], 'no-stream');
  const namespace = new Generations(TALLIES, store).open(1);
  const fold = new GenerationFold(TALLIES, namespace, log);
  await fold.open();
  const registry = new EventRegistry([tallied]);
  const folding = async (): Promise<void> => {
    for await (const batch of history(log, START)) await fold.apply(decoded(batch, registry));
  };
  await expect(folding()).rejects.toBeInstanceOf(UnreadableEventError);
  expect(await namespace.checkpoint()).toBe(START);
});
