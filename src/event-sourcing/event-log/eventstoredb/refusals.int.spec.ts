import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { itOnSimulator } from '../../../../test/support/backends/it-on-simulator.js';
import { startEventStoreDb } from '../../../../test/support/backends/start-eventstoredb.js';
import type { EventStoreDbServer } from '../../../../test/support/backends/eventstoredb-server.js';
import { event, freshStream } from '../../../../test/contracts/opened-log.js';
import { START } from '../../../kernel/position.js';
import { EventStoreDbEventLog } from './eventstoredb-event-log.js';

describe('EventStoreDB as an event log refuses', () => {
  let server: EventStoreDbServer;
  let log: EventStoreDbEventLog;

  beforeAll(async () => {
    server = await startEventStoreDb();
  });

  beforeEach(() => {
    log = new EventStoreDbEventLog(server.connectionString);
  });

  afterEach(async () => {
    await log.close();
  });

  afterAll(async () => {
    await server.stop();
  });

  it.each([
    [
      'an append over the limit of the server',
      event({ text: 'x'.repeat(2 ** 20) }),
      'change-too-large',
    ],
    ['data that is no JSON', { ...event(), data: undefined }, 'undefined'],
    ['data that cannot be JSON', event({ large: 1n }), 'BigInt'],
  ])('%s, before it is sent, and goes on', async (_, wrong, message) => {
    const stream = freshStream();
    await expect(log.append(stream, [event(), wrong], 'no-stream')).rejects.toThrow(message);
    expect(await log.append(stream, [event()], 'no-stream')).toMatchObject({ revision: 0 });
  });

  it.each(['', 'ünïcødé', 'two words', 'x'.repeat(257)])('a stream named "%s"', async (name) => {
    await expect(log.append(name, [event()], 'no-stream')).rejects.toThrow('printable ASCII');
    await expect(log.readStream(name)).rejects.toThrow('printable ASCII');
  });

  it('to hold a position that another kind of log gave, and to go on from it', async () => {
    const foreign = '0000000000000001-01234567';
    const abort = new AbortController();
    const first = log.follow(foreign, abort.signal)[Symbol.asyncIterator]().next();
    await expect(first).rejects.toThrow('not a position of this event log');
  });

  const STREAM = 'any-stream';
  const NO_SUCH_USER = 'is unknown or disabled, or has another password';

  const denials = [
    ['access-denied', 'append', 'may not append to streams that begin with keyledger.'],
    ['access-denied', 'readStream', 'may not read streams that begin with keyledger.'],
    ['access-denied', 'head', 'may not read $all'],
    ['access-denied', 'ping', 'may not read $all'],
    ['access-denied', 'identity', 'may not read $all'],
    ['access-denied', 'follow', 'may not read $all'],
    ['unauthenticated', 'append', NO_SUCH_USER],
    ['unauthenticated', 'readStream', NO_SUCH_USER],
    ['unauthenticated', 'ping', NO_SUCH_USER],
    ['unauthenticated', 'follow', NO_SUCH_USER],
  ] as const;

  for (const [failure, call, cause] of denials)
    itOnSimulator(`${call} that is ${failure}, at once: the user ${cause}`, async () => {
      for (const on of ['append', 'read', 'subscribe'] as const)
        await server.inject({ on, effect: 'fail', failure });
      const followed = log.follow(START, new AbortController().signal)[Symbol.asyncIterator]();
      const calls = {
        append: () => log.append(STREAM, [event()], 'no-stream'),
        readStream: () => log.readStream(STREAM),
        head: () => log.head(),
        ping: () => log.ping(),
        identity: () => log.identity(),
        follow: () => followed.next(),
      };
      const refused = Promise.resolve(calls[call]());
      await expect(refused).rejects.toMatchObject({
        name: 'Denied',
        message: `EventStoreDB denies access: the user of EVENTSTOREDB_CONNECTION_STRING ${cause}`,
      });
      await server.heal();
    });
});
