import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';
import { afterAll, beforeAll, describe, expect, it, jest } from '@jest/globals';
import type { ErrorBody } from '../../../src/edge/http/answers/error-body.js';
import { createKey } from '../../support/harness/api-keys.js';
import { recordsIn } from '../../support/harness/audit-events.js';
import { type Backends, FORM, freshBackends } from '../../support/harness/backends.js';
import type { OneEndUser } from '../../support/harness/end-users.js';
import { eventually } from '../../support/harness/eventually.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { registerMany } from '../../support/harness/long-trail.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { sendRaw } from '../../support/harness/raw-http.js';
import { startApp } from '../../support/harness/running-app.js';
import { type ServiceProcess, startService } from '../../support/harness/service-process.js';
import { askSlowly } from '../../support/harness/slow-reader.js';
import { TRACKING_STRINGS } from '../../support/harness/tracking-strings.js';
import { documentedBlock, replaced, startProxy } from './proxy.js';
import type { RunningProgram } from './running-program.js';

/**
 * Records of more than 2 KB each, too much for the buffers between the service and a caller behind
 * a proxy.
 */
const MANY = 8_000;
/** More wrong keys than the block for HAProxy lets an address send in a minute. */
const GUESSES = 70;
const NDJSON = { Accept: 'application/x-ndjson' };

jest.setTimeout(FORM === 'cluster' ? 240_000 : 60_000);

/** The blocks in docs/operations/proxies.md. */
describe('a proxy of your own', () => {
  let backends: Backends;
  let accountId: string;
  let key: string;

  beforeAll(async () => {
    backends = await freshBackends();
    const before = await startApp(backends.settings);
    ({ accountId, managementKey: key } = await before.openAccount());
    await registerMany(before, { accountId }, MANY);
    await before.stop();
  });

  afterAll(() => backends.dispose());

  for (const name of ['nginx', 'haproxy'] as const) {
    onlyWhereInstalled(name)(`with the documented block for ${name}`, () => {
      let service: ServiceProcess;
      let proxy: RunningProgram;
      let client: HttpClient;

      async function start(): Promise<void> {
        service = await startService({ ...backends.settings, TRUSTED_PROXIES: '127.0.0.1' });
        proxy = await startProxy(name, documentedBlock(name), service.address);
        client = new HttpClient(proxy.address, key);
      }

      beforeAll(start);

      afterAll(async () => {
        await proxy.stop();
        await service.stop('SIGKILL');
      });

      it('passes the ids of end users in paths on as they came', async () => {
        const { hash } = (await createKey(client)).data;
        for (const user of [`a/b/${name}`, `../keys/${hash}`, `x/../victim/${name}`]) {
          await client.post('/v1/end-users', { user });
          const path = `/v1/end-users/${encodeURIComponent(user)}`;
          expect(await client.patch<OneEndUser>(path, { is_active: false })).toMatchObject({
            status: 200,
            body: { data: { user, is_active: false } },
          });
          expect((await client.delete(path)).status).toBe(204);
        }
        expect((await client.get(`/v1/keys/${hash}`)).status).toBe(200);
      });

      it('finds every end user by the filter of the list', async () => {
        for (const [, user] of TRACKING_STRINGS) {
          await client.post('/v1/end-users', { user });
          const path = `/v1/end-users?user=${encodeURIComponent(user)}&include_inactive=true`;
          expect(await client.get(path)).toMatchObject({
            status: 200,
            body: { data: [{ user }], total_count: 1 },
          });
        }
      });

      it('tells the address of the caller, whatever the caller says of it', async () => {
        const id = `address-${name}`;
        const request = get(`${proxy.address}/v1/key`, {
          localAddress: '127.0.0.2',
          headers: {
            Authorization: `Bearer ${key}`,
            'X-Request-Id': id,
            'X-Forwarded-For': '192.0.2.1',
          },
        });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        response.resume();
        const line = await eventually('the request is logged', () =>
          service.logged().find(({ request_id }) => request_id === id),
        );
        expect(line).toMatchObject({ address: '127.0.0.2', status: 200 });
      });

      it('sends no stream to a caller in HTTP/1.0', async () => {
        const request = `GET /v1/audit-events HTTP/1.0\r\nAccept: application/x-ndjson\r\nAuthorization: Bearer ${key}\r\n\r\n`;
        expect((await sendRaw(proxy.address, request)).status).toBe(505);
      });

      it('passes a whole stream on', async () => {
        const { status, text } = await client.get('/v1/audit-events', { headers: NDJSON });
        expect(status).toBe(200);
        expect(text.split('\n').length).toBeGreaterThan(MANY);
      });

      it('begins to pass a stream on while the service writes it', async () => {
        const id = `streamed-${name}`;
        const request = get(`${proxy.address}/v1/audit-events`, {
          headers: {
            ...NDJSON,
            Authorization: `Bearer ${key}`,
            'X-Request-Id': id,
          },
        });
        const [response] = (await once(request, 'response')) as [IncomingMessage];
        const chunks: Buffer[] = [];
        const isLogged = (): boolean =>
          service.logged().some(({ request_id }) => request_id === id);
        for await (const chunk of response) {
          if (chunks.length === 0) expect(isLogged()).toBe(false);
          chunks.push(chunk as Buffer);
        }
        await eventually('the request is logged', isLogged);
        const events = recordsIn(Buffer.concat(chunks).toString());
        expect(events.length).toBeGreaterThan(MANY);
      });

      it('breaks a stream off when the service is killed', async () => {
        const reader = await askSlowly(`${proxy.address}/v1/audit-events`, {
          Authorization: `Bearer ${key}`,
          ...NDJSON,
        });
        expect(reader.status).toBe(200);
        await service.stop('SIGKILL');
        await expect(reader.read()).rejects.toMatchObject({ code: 'ECONNRESET' });
        // Other tests may come after this one.
        await proxy.stop();
        await start();
      });
    });
  }

  onlyWhereInstalled('haproxy')('in front of somebody who guesses keys', () => {
    it('takes nothing more from that address, but refusals of a gateway are no guesses', async () => {
      const service = await startService(backends.settings);
      const proxy = await startProxy('haproxy', documentedBlock('haproxy'), service.address);
      try {
        const client = new HttpClient(proxy.address, key);
        const headers = { 'Keyledger-Authorization': `Bearer ${key}` };
        for (let asked = 0; asked < GUESSES; asked += 1) {
          const { status } = await client.as('a-guess').get('/v1/authorize', { headers });
          expect(status).toBe(401);
        }
        for (let asked = 0; asked < GUESSES; asked += 1) await client.as('a-guess').get('/v1/key');
        const refused = await client.get<ErrorBody>('/v1/keys');
        expect(refused.status).toBe(429);
        expect(refused.body.error.metadata.reason).toBe('too-many-wrong-keys');
      } finally {
        await proxy.stop();
        await service.stop('SIGKILL');
      }
    });
  });

  onlyWhereInstalled('nginx')('with one slash too many in the block for nginx', () => {
    it('changes something else than was named, as docs/operations/proxies.md warns', async () => {
      const service = await startService(backends.settings);
      const block = replaced(documentedBlock('nginx'), [
        ['proxy_pass http://keyledger;', 'proxy_pass http://keyledger/;'],
      ]);
      const proxy = await startProxy('nginx', block, service.address);
      try {
        const client = new HttpClient(proxy.address, key);
        const { hash } = (await createKey(client)).data;
        const named = encodeURIComponent(`../keys/${hash}`);
        expect((await client.delete(`/v1/end-users/${named}`)).body).toEqual({ deleted: true });
        expect((await client.get(`/v1/keys/${hash}`)).status).toBe(404);
      } finally {
        await proxy.stop();
        await service.stop('SIGKILL');
      }
    });
  });
});
