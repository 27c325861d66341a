import { randomUUID } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import { accountStream } from '../../src/features/accounts/domain/account.js';
import { endUserStream } from '../../src/features/end-users/domain/end-user.js';
import { EVENT_LOG, type EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { keyStream } from '../../src/features/keys/domain/key.js';
import { createKey } from '../support/harness/api-keys.js';
import { errorOf } from '../support/harness/error-of.js';
import { type Answer, HttpClient } from '../support/harness/http-client.js';
import { runningApp } from '../support/harness/running-app.js';
import { metadataAt } from '../support/specs/metadata-at.js';

describe('a stream with an event that this build does not know', () => {
  const service = runningApp();

  /** Stores an event of an unknown type. @returns the id of the event. */
  async function happen(stream: string): Promise<string> {
    const log = service.app.get<EventLog>(EVENT_LOG);
    const id = randomUUID();
    const event = { id, type: 'UnheardOf', version: 1, data: {}, metadata: metadataAt(0) };
    const { length } = (await log.readStream(stream)).events;
    await log.append(stream, [event], length - 1);
    return id;
  }

  function unreadable(answer: Answer): void {
    expect(errorOf(answer, 503).reason).toBe('event-unreadable');
    expect(answer.headers.get('Retry-After')).toBe('1');
  }

  it('of a key takes neither the key nor a change of it, and names the event in the log', async () => {
    const { client } = await service.openAccount();
    const { key, data } = await createKey(client);
    const asKey = new HttpClient(service.address, key);
    expect((await asKey.get('/v1/key')).status).toBe(200);
    const id = await happen(keyStream(data.hash));
    unreadable(await asKey.get('/v1/key'));
    unreadable(await client.patch(`/v1/keys/${data.hash}`, { name: 'other' }));
    unreadable(await client.delete(`/v1/keys/${data.hash}`));
    expect(service.logLines.some((line) => line.includes(id))).toBe(true);
    const other = await createKey(client);
    expect(other.data.name).toBe('a key');
  });

  it('of an account takes none of its management keys, and leaves other accounts alone', async () => {
    const { client, accountId } = await service.openAccount();
    const another = await service.openAccount();
    await happen(accountStream(accountId));
    const path = '/v1/keys';
    // The service remembers a recently used key for a second.
    const begun = performance.now();
    let answer = await client.post(path, { name: 'x' });
    while (answer.status === 201 && performance.now() - begun < 10_000)
      answer = await client.post(path, { name: 'x' });
    unreadable(answer);
    expect((await another.client.post(path, { name: 'x' })).status).toBe(201);
  });

  it('of an end user takes no change of that one', async () => {
    const { client, accountId } = await service.openAccount();
    await client.post('/v1/end-users', { user: 'ada' });
    await happen(endUserStream(accountId, 'ada'));
    unreadable(await client.patch('/v1/end-users/ada', { is_active: false }));
    unreadable(await client.post('/v1/end-users', { user: 'ada' }));
  });
});
