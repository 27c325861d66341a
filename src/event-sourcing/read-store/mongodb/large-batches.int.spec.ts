import { randomUUID } from 'node:crypto';
import { expect, it } from '@jest/globals';
import { event } from '../../../../test/contracts/opened-log.js';
import { describeOnMongoDb } from '../../../../test/support/backends/on-mongodb.js';
import { largeDocuments } from '../../../../test/support/specs/large-documents.js';
import {
  maintenanceHere,
  readModelsHere,
} from '../../../../test/support/specs/read-models-here.js';
import { tallied } from '../../../../test/support/specs/tally.js';
import { EventRegistry } from '../../event-log/event-registry.js';
import { SqliteEventLog } from '../../event-log/sqlite/sqlite-event-log.js';
import { readSideOf } from '../../projections/read-side.js';
import { MongoDbReadStore } from './mongodb-read-store.js';

const APPENDS = 7;
const BYTES_OF_AN_APPEND = 2_700_000;

describeOnMongoDb('a batch whose documents are larger than a transaction', (server) => {
  it('is folded, folded anew and verified', async () => {
    const log = new SqliteEventLog(':memory:');
    const store = new MongoDbReadStore(server().freshUri());
    for (let count = 0; count < APPENDS; count++) {
      const large = event({ name: randomUUID(), amount: BYTES_OF_AN_APPEND }, 'Tallied');
      await log.append(randomUUID(), [large], 'no-stream');
    }
    const readSide = readSideOf('large', [largeDocuments]);
    const sources = { log, store, registry: new EventRegistry([tallied]) };
    const models = readModelsHere(readSide, sources);
    const maintenance = maintenanceHere(readSide, sources, models);
    try {
      models.start();
      await models.caughtUp;
      expect(await maintenance.rebuild()).toMatchObject({ events: APPENDS });
      expect(await maintenance.verify()).toEqual({ documents: APPENDS * 500, differences: [] });
    } finally {
      await models.stop();
      await store.close();
      await log.close();
    }
  }, 60_000);
});
