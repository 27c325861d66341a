import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { found, type MongoDbServer, startMongoDb } from './start-mongodb.js';
import type { ServerProcess } from './server-process.js';

/**
 * Defines a suite with a MongoDB that runs as long as the suite. Without a MongoDB the suite is skipped with a report,
 * or fails if REQUIRE_BACKENDS names `mongodb`.
 */
export function describeOnMongoDb(
  title: string,
  suite: (server: () => MongoDbServer) => void,
): void {
  if (typeof found !== 'string') {
    describe(`${title} (on ${found.kind})`, () => {
      let server: MongoDbServer;
      beforeAll(async () => {
        server = await startMongoDb();
      });
      afterAll(() => server.stop());
      suite(() => server);
    });
    return;
  }
  const notRun = `NOT RUN, as there is no MongoDB: ${found}`;
  const required = (process.env.REQUIRE_BACKENDS ?? '').split(',').includes('mongodb');
  process.stderr.write(`${title}: ${notRun}\n`);
  describe(title, () => {
    const test = required ? it : it.skip;
    test(notRun, () => {
      throw new Error(notRun);
    });
  });
}

/** Defines a test that kills or freezes the server. On a given server the test is skipped with a report. */
export function itOnOwnMongoDb(
  title: string,
  server: () => MongoDbServer,
  test: (process: ServerProcess) => Promise<void>,
): void {
  if (typeof found !== 'string' && found.kind === 'given') {
    process.stderr.write(`NOT RUN, as TEST_MONGODB_URI is not ours to stop or freeze: ${title}\n`);
    it.skip(title, () => undefined);
    return;
  }
  it(title, async () => {
    const { process: own } = server();
    if (!own) throw new Error('the server has no process of its own');
    await test(own);
  });
}
