import { describe, expect, it } from '@jest/globals';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { errorOf } from '../support/harness/error-of.js';
import { askFeed, latestCursor, readFeed } from '../support/harness/event-feed.js';
import { keyledger } from '../support/harness/command-line.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { onlyOn } from '../support/harness/only-on.js';
import { directoryOfEach, stageOfEach } from '../support/harness/stage.js';

const embedded = onlyOn('embedded', 'it needs the files of the event log');

const WITHIN_MS = 1_000;
const PAUSE_MS = 20;

async function register(client: HttpClient, user: string): Promise<void> {
  expect((await client.post('/v1/end-users', { user })).status).toBe(201);
}

describe('a reader of the feed', () => {
  const { backends, start } = stageOfEach();
  const elsewhere = directoryOfEach();

  it('who waits is answered at once when the service stops, with the same cursor', async () => {
    const service = await start({ SHUTDOWN_DELAY: '5s' });
    const { client } = service;
    const after = await latestCursor(client);
    const readings = [1, 2].map(() => readFeed(client, `after=${after}&wait=20`));
    // By then they wait, because a later request of the same client has been answered.
    await readFeed(client);
    const begun = performance.now();
    service.child.kill('SIGTERM');
    const nothing = { data: [], next_cursor: after, has_more: false };
    expect(await Promise.all(readings)).toEqual([nothing, nothing]);
    // So is one who comes before the service closes.
    expect(await readFeed(client, `after=${after}&wait=20`)).toEqual(nothing);
    expect(performance.now() - begun).toBeLessThan(3_000);
    expect(await service.ended).toBe(0);
  });

  it('goes on after a kill, and after the read models were built anew', async () => {
    const service = await start();
    await register(service.client, 'before');
    const { data, next_cursor: after } = await readFeed(service.client, 'limit=3');
    await service.stop('SIGKILL');
    const rebuilt = await keyledger(backends.settings, 'projections', 'rebuild', 'management');
    expect(rebuilt).toMatchObject({ code: 0 });
    const again = (await start()).client.as(service.managementKey);
    await register(again, 'after');
    const all = await readFeed(again);
    const rest = await readFeed(again, `after=${after}`);
    expect([...data, ...rest.data]).toEqual(all.data);
    expect(rest.next_cursor).toBe(all.next_cursor);
  });

  it('who waits while the read models are built anew gets each event once, and at once', async () => {
    const { client, logs } = await start();
    let after = await latestCursor(client);
    let isRebuilt = false;
    let isWritten = false;
    const answered: [user: string, at: number][] = [];
    const write = async (): Promise<void> => {
      for (let count = 0; !isRebuilt; count += 1) {
        await register(client, `user-${count}`);
        answered.push([`user-${count}`, performance.now()]);
        await delay(PAUSE_MS);
      }
    };
    const got: [user: string, at: number][] = [];
    const read = async (): Promise<void> => {
      while (!isWritten || got.length < answered.length) {
        const { data, next_cursor } = await readFeed(client, `after=${after}&wait=1`);
        got.push(...data.map(({ target }): [string, number] => [target.id, performance.now()]));
        after = next_cursor;
      }
    };
    const writing = write();
    const reading = read();
    const rebuilt = await keyledger(backends.settings, 'projections', 'rebuild', 'management');
    expect(rebuilt).toMatchObject({ code: 0 });
    await logs(/^read models of management are read from/);
    isRebuilt = true;
    await writing;
    isWritten = true;
    await reading;
    expect(got.map(([user]) => user)).toEqual(answered.map(([user]) => user));
    const late = got.map(([, at], index) => at - (answered[index]?.[1] ?? 0));
    expect(Math.max(...late)).toBeLessThan(WITHIN_MS);
  });

  embedded.it('is refused in a log that was restored without the event of the cursor', async () => {
    const service = await start();
    const DATA_DIR = join(elsewhere.path, 'copy');
    const saved = await keyledger(backends.settings, 'backup', DATA_DIR);
    expect(saved).toMatchObject({ code: 0 });
    await register(service.client, 'lost');
    const after = await latestCursor(service.client);
    // A copy is a data directory.
    const client = (await start({ DATA_DIR })).client.as(service.managementKey);
    const refused = async (): Promise<void> => {
      const begun = performance.now();
      const answer = await askFeed(client, `after=${after}&wait=20`);
      expect(errorOf(answer, 400).reason).toBe('cursor-unknown');
      expect(performance.now() - begun).toBeLessThan(1_500);
    };
    await refused();
    // The log grows past the place of the event.
    await register(client, 'another');
    await refused();
    for (const user of ['third', 'fourth']) await register(client, user);
    await refused();
  });
});
