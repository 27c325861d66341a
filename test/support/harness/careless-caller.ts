import type { HttpClient } from './http-client.js';
import { openRawConnection } from './raw-connection.js';
import type { Secrets } from './secrets.js';

const TOO_MUCH = 120 * 1024;

/**
 * Sends secrets in every part of a request, on every route, in every way that is refused.
 * @returns all answers, headers included.
 */
export async function sendSecretsEverywhere(
  client: HttpClient,
  apiKey: string,
  secrets: Secrets,
): Promise<string[]> {
  const answers: string[] = [];
  const send: HttpClient['send'] = async (method, path, call) => {
    const answer = await client.send(method, path, call);
    answers.push(`${answer.status} ${JSON.stringify([...answer.headers])} ${answer.text}`);
    return answer as never;
  };
  await sendInHeaders(send, apiKey, secrets);
  await sendInAddresses(send, secrets);
  await sendInBodies(send, secrets);
  answers.push(...(await sendBrokenHttp(client.address, secrets)));
  return answers;
}

type Send = HttpClient['send'];

async function sendInHeaders(send: Send, apiKey: string, secrets: Secrets): Promise<void> {
  const mistyped = secrets.keep('a mistyped key', `mk-v1-${apiKey.slice(6, -1)}x`);
  const token = secrets.make('a token in a header');
  const authorizations = [
    `Bearer ${mistyped}`,
    `Bearer ${apiKey}`,
    `Bearer ${token}`,
    `Bearer ${token} ${token}`,
    `Basic ${Buffer.from(token).toString('base64')}`,
    token,
  ];
  for (const Authorization of authorizations) {
    await send('GET', '/v1/end-users', { headers: { Authorization } });
    await send('GET', '/v1/keys', { headers: { Authorization } });
    await send('GET', '/v1/key', { headers: { Authorization } });
    await send('POST', '/v1/keys', { headers: { Authorization }, body: { name: 'x' } });
    await send('PATCH', `/v1/keys/${'0'.repeat(64)}`, { headers: { Authorization }, body: {} });
  }
  const elsewhere = {
    'X-Api-Key': token,
    Cookie: `session=${token}`,
    Referer: `http://x/${token}`,
  };
  await send('POST', '/v1/keys', { headers: elsewhere, body: { name: 'with other headers' } });
  for (const name of ['Content-Encoding', 'Content-Type', 'X-Request-Id']) {
    const value = name === 'X-Request-Id' ? token.repeat(9) : token;
    await send('POST', '/v1/end-users', { headers: { [name]: value }, body: { user: name } });
  }
}

async function sendInAddresses(send: Send, secrets: Secrets): Promise<void> {
  const secret = secrets.make('a secret in an address');
  const key = secrets.keep('a key in an address', `sk-v1-${'0123456789abcdef'.repeat(4)}`);
  for (const text of [secret, key]) {
    await send('GET', `/${text}`);
    await send('GET', `/v1/keys/${text}`);
    await send('DELETE', `/v1/keys/${text}`);
    await send('GET', `/v1/keys?workspace_id=${text}`);
    await send('GET', `/v1/keys?limit=${text}&offset=${text}&include_disabled=${text}`);
    await send('PATCH', `/v1/keys/${text}`, { body: { name: 'x' } });
    await send('PATCH', `/v1/keys/${text}%zz`, { body: { name: 'x' } });
    await send('DELETE', `/v1/keys/${text}`);
    await send('GET', `/v1/keys?workspace_id=${text}`);
    await send('GET', `/v1/keys?include_disabled=${text}&offset=${text}`);
    await send('GET', `/v1/workspaces/${text}`);
    await send('PATCH', `/v1/workspaces/${text}`, { body: { name: 'x' } });
    await send('POST', `/v1/workspaces/${text}/members/add`, { body: { user_ids: ['x'] } });
    await send('GET', `/v1/end-users/${text}`);
    await send('GET', `/v1/end-users/%20${text}`);
    await send('PATCH', `/v1/end-users/${text}`, { body: { is_active: false } });
    await send('DELETE', `/v1/end-users?key=${text}`);
    await send('PUT', `/v1/end-users?key=${text}`);
    await send('GET', `/v1/end-users?user=${text}`);
    await send('GET', `/v1/end-users/${text}`);
    await send('DELETE', `/v1/end-users/${text}%20`);
    await send('PATCH', `/v1/end-users/${text}`, { body: { is_active: secret } });
    await send('GET', `/v1/end-users?user=%20${text}`);
    await send('GET', `/v1/end-users?user=${text}%zz`);
    await send('GET', `/v1/end-users?%zz=${text}`);
    await send('GET', `/v1/end-users?limit=${text}&offset=${text}&include_inactive=${text}`);
    await send('GET', `/v1/end-users?user=${text}&user=${text}`);
    await send('GET', `/health/ready?key=${text}`);
    await send('GET', `/metrics?key=${text}`);
    await send('GET', `/docs/${text}`);
  }
}

async function sendInBodies(send: Send, secrets: Secrets): Promise<void> {
  const secret = secrets.make('a secret in a body');
  const wrongFields = [
    { name: { secret } },
    { name: 'x', limit: secret },
    { name: 'x', limit_reset: secret },
    { name: 'x', include_byok_in_limit: secret },
    { name: 'x', expires_at: secret },
    { name: 'x', creator_user_id: [secret] },
    { name: 'x', workspace_id: secret },
    { name: 'x', external: secret },
    { name: 'x', external: { user: ` ${secret}` } },
    { name: 'x', external: { user: 'u', lookup_key: [secret] } },
    { name: 'x', external: { user: 'u', lookup_key: secret, api_key: secret } },
    { name: 'x', external: { user: 'u', lookup_key: secret.repeat(20) } },
  ];
  for (const body of wrongFields) {
    await send('POST', '/v1/keys', { body });
    await send('PATCH', `/v1/keys/${'0'.repeat(64)}`, { body });
  }
  await send('POST', '/v1/keys', { body: { name: 'with an unknown field', password: secret } });
  await send('POST', '/v1/end-users', { body: { user: 'x', password: secret } });
  await send('POST', '/v1/end-users', { body: { user: ` ${secret}` } });
  await send('POST', '/v1/end-users', { body: { user: { secret } } });
  for (const body of [
    { name: { secret } },
    { name: 'x', slug: ` ${secret}` },
    { slug: [secret] },
  ]) {
    await send('POST', '/v1/workspaces', { body });
    await send('PATCH', '/v1/workspaces/default', { body });
  }
  await send('POST', '/v1/workspaces/default/members/add', { body: { user_ids: secret } });
  await send('PATCH', '/v1/end-users/x', { body: { is_active: secret } });
  for (const body of [
    { key: secret },
    { key: secret, workspace_id: secret },
    { hash: secret },
    { key: [secret] },
  ]) {
    await send('POST', '/v1/keys/verify', { body });
  }
  for (const body of [
    `token=${secret}`,
    `token=${secret}&token=a`,
    `${secret}=a`,
    `token=a&${secret}=a`,
    `token=${secret.repeat(1_000)}`,
  ])
    await send('POST', '/v1/oauth/introspect', { body });
  const broken = [`{"user": "${secret}`, secret, `"${secret}"`, `["${secret}"]`, `{${secret}: 1}`];
  for (const body of broken) await send('POST', '/v1/end-users', { body });
  await send('POST', '/v1/end-users', { body: Buffer.from(`{"user": "${secret}\xff"}`, 'latin1') });
  await send('POST', '/v1/keys', { body: { name: secret.padEnd(TOO_MUCH) } });
}

async function sendBrokenHttp(address: string, secrets: Secrets): Promise<string[]> {
  const secret = secrets.make('a secret in broken HTTP');
  const requests = [
    `${secret} nonsense\r\n\r\n`,
    `GET /v1/end-users HTTP/1.1\r\nHost: x\r\nAuthorization Bearer ${secret}\r\n\r\n`,
    `POST /v1/keys HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret}\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\n`,
    `GET / HTTP/1.1\r\nHost: x\r\nAuthorization: Bearer ${secret.repeat(1_000)}\r\n\r\n`,
  ];
  const answers: string[] = [];
  for (const request of requests) {
    const connection = await openRawConnection(address);
    connection.send(request);
    await connection.closed;
    answers.push(connection.received());
  }
  return answers;
}
