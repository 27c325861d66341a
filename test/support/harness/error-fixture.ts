import { randomUUID } from 'node:crypto';
import { createKey } from './api-keys.js';
import type { Fixture, Provoked } from './error-provocations.js';
import { failOnce } from './fail-once.js';
import type { Answer } from './http-client.js';
import { madeString } from './made-strings.js';
import { makeManagementKey } from './management-keys.js';
import { createOrphanedKey } from './orphaned-keys.js';
import type { RunningApp } from './running-app.js';
import { makeWorkspace } from './workspaces.js';

/**
 * The limit of writes that a service for provocations has. It is above the number of writes that
 * fail on purpose.
 */
export const WRITES = 100;

/** Makes the objects that requests for errors use. */
export async function errorFixture(service: RunningApp): Promise<Fixture> {
  const account = await service.openAccount();
  const { client } = account;
  const disabled = await createKey(client);
  await client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
  const restrictions = ['eu-only'];
  const workspace_id = await makeWorkspace(service, account, { restrictions });
  const { data, key } = await createKey(client, { workspace_id });
  await client.post('/v1/end-users', { user: 'taken' });
  const spent = await service.openAccount();
  for (let made = 0; made < WRITES; made++) {
    await spent.client.post('/v1/end-users', { user: `user-${made}` });
  }
  const rotatedKey = await createKey(client);
  const [endedString, newString] = [madeString().hash, madeString().hash];
  for (const string of [endedString, newString]) {
    const path = `/v1/keys/${rotatedKey.data.hash}/strings/${string}`;
    await client.put(path, { grace_seconds: 0 });
  }
  const fixture: Fixture = {
    service,
    account,
    spent,
    individual: await service.openAccount('individual'),
    apiKey: key,
    gatewayKey: await makeManagementKey(service, account, 'gateway'),
    expiringKey: await makeManagementKey(service, account, 'admin', '2100-01-01T00:00:00.000Z'),
    rotatedKey,
    newString,
    endedString,
    disabledKey: disabled.key,
    expiredKey: (await createKey(client, { expires_at: '2001-01-01T00:00:00Z' })).key,
    spentKey: (await createKey(client, { limit: 0 })).key,
    hash: data.hash,
    crowded: workspace_id,
    deserted: await makeWorkspace(service, account, { restrictions }),
    orphaned: (await createOrphanedKey(service, account)).data.hash,
    reported: randomUUID(),
    reversed: randomUUID(),
  };
  const body = { records: [{ key_hash: data.hash, cost: 1 }] };
  for (const id of [fixture.reported, fixture.reversed]) {
    await client.send('PUT', `/v1/usage-reports/${id}`, { body });
  }
  await client.delete(`/v1/usage-reports/${fixture.reversed}`);
  return fixture;
}

export async function answerTo(
  { service, account }: Fixture,
  { route, fault, ...call }: Provoked,
): Promise<Answer> {
  const [method = '', path = ''] = route.split(' ');
  if (fault !== undefined) failOnce(service, method, path, fault);
  return account.client.send(method, path, call);
}
