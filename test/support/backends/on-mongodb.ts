import { afterAll, beforeAll, describe, it } from '@jest/globals';
import { found, type MongoDbServer, startMongoDb } from './start-mongodb.js';
import type { ServerProcess } from './server-process.js';

/**
 * Defines a suite with a MongoDB that runs as long as the suite: a real one where there is one,
 * else the simulator.
 */
export function describeOnMongoDb(
  title: string,
  suite: (server: () => MongoDbServer) => void,
): void {
  describe(`${title} (on ${found.kind})`, () => {
    let server: MongoDbServer;
    beforeAll(async () => {
      server = await startMongoDb();
    });
    afterAll(() => server.stop());
    suite(() => server);
  });
}

/**
 * Defines a test that kills or freezes the server. On a given server the test is skipped with a
 * report.
 */
export function itOnOwnMongoDb(
  title: string,
  server: () => MongoDbServer,
  test: (process: ServerProcess) => Promise<void>,
): void {
  if (found.kind === 'given') {
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
