import { PassThrough } from 'node:stream';
import { afterEach, describe, expect, it, jest } from '@jest/globals';
import { type AllStreamSubscription, EventStoreDBClient } from '@eventstore/db-client';
import { Unavailable } from '../../../kernel/errors.js';
import { START } from '../../../kernel/position.js';
import { Connection } from './connection.js';
import { Feed } from './feed.js';
import { OwnStreams } from './own-streams.js';

const PATIENCE_MS = 8_000;

/** A subscription that is confirmed and delivers nothing. */
class Silent extends PassThrough {
  constructor() {
    super({ objectMode: true });
    queueMicrotask(() => this.emit('confirmation'));
  }

  async unsubscribe(): Promise<void> {
    this.end();
  }
}

describe('a feed that has patience', () => {
  let now = 0;

  afterEach(() => {
    jest.restoreAllMocks();
  });

  /** Counts the subscriptions until the feed gives up. @param lostAfterMs when each subscription is lost. */
  async function subscriptionsUntilGivenUp(
    lostAfterMs: number,
    meanwhile: (search: () => void) => void,
  ): Promise<number> {
    const connection = new Connection('esdb://127.0.0.1:1?tls=false');
    jest.spyOn(performance, 'now').mockImplementation(() => now);
    const subscribe = jest
      .spyOn(EventStoreDBClient.prototype, 'subscribeToAll')
      .mockImplementation((options = {}) => {
        const silent = new Silent();
        const subscription = silent as AllStreamSubscription;
        silent.once('confirmation', () => {
          setImmediate(() => {
            const search = (): void => {
              void options.filter?.checkpointReached?.(subscription, { commit: 1n, prepare: 1n });
            };
            if (subscribe.mock.calls.length === 1) meanwhile(search);
            now += lostAfterMs;
            silent.emit('error', new Error('Channel has been shut down'));
          });
        });
        return subscription;
      });
    const log = { holds: () => Promise.resolve(true), restOfAppend: () => Promise.resolve([]) };
    const feed = new Feed(connection, new OwnStreams('keyledger'), log);
    const { signal } = new AbortController();
    const given = feed.batches(START, { signal, patienceMs: PATIENCE_MS })[Symbol.asyncIterator]();
    await expect(given.next()).rejects.toBeInstanceOf(Unavailable);
    await connection.client.dispose();
    return subscribe.mock.calls.length;
  }

  it('gives up when that is over', async () => {
    expect(await subscriptionsUntilGivenUp(PATIENCE_MS / 2 + 1, () => undefined)).toBe(2);
  });

  it('does not count the time in which the server searched, and said so', async () => {
    const searched = (search: () => void): void => {
      for (let told = 0; told < 10; told += 1) {
        now += PATIENCE_MS - 1;
        search();
      }
    };
    expect(await subscriptionsUntilGivenUp(PATIENCE_MS / 2 + 1, searched)).toBe(2);
  });
});
