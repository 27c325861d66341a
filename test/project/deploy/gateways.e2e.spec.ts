import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { createKey } from '../../support/harness/api-keys.js';
import { freshBackends } from '../../support/harness/backends.js';
import { eventually } from '../../support/harness/eventually.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { sendRaw } from '../../support/harness/raw-http.js';
import { startService } from '../../support/harness/service-process.js';
import { gatewayStage } from './gateway-stage.js';
import { demandingWorkspace, GATEWAYS, NAMING_USERS, OF_THE_GATEWAY, rulesOf } from './gateway.js';
import type { RunningProgram } from './running-program.js';

interface Refused {
  readonly error: { readonly metadata: Readonly<Record<string, unknown>> };
}

describe('deploy/gateways', () => {
  const stage = gatewayStage();

  for (const name of GATEWAYS) {
    onlyWhereInstalled(name)(`the configuration for ${name}`, () => {
      let gateway: RunningProgram;
      let client: HttpClient;

      beforeAll(async () => {
        gateway = await stage.start(name);
        client = new HttpClient(gateway.address);
      });

      afterAll(() => gateway.stop());

      it('passes a request with a usable key on as it came, and says whose it is', async () => {
        const { api, usable } = stage;
        const path = '/a%2Fb/c%20d?workspace_id=&limit_status=9&x=%zz';
        const head = `POST ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\nContent-Length: 9\r\n`;
        const answer = await sendRaw(
          gateway.address,
          `${head}Authorization: Bearer ${usable.key}\r\n\r\nthe body.`,
        );
        expect(answer.status).toBe(200);
        expect(answer.text).toContain(api.answer);
        const [{ method, url, body, told } = {}, ...more] = api.arrived();
        expect({ method, url, more }).toEqual({ method: 'POST', url: path, more: [] });
        expect(body).toBe('the body.');
        expect(told).toMatchObject(stage.toldOf(usable));
        expect(told).not.toHaveProperty('authorization');
      });

      it('passes a body of unknown length on', async () => {
        const { api, usable } = stage;
        const { status } = await sendRaw(
          gateway.address,
          `PUT / HTTP/1.1\r\nHost: a\r\nConnection: close\r\nTransfer-Encoding: chunked\r\nX-API-Key: ${usable.key}\r\n\r\n3\r\none\r\n3\r\ntwo\r\n0\r\n\r\n`,
        );
        expect(status).toBe(200);
        expect(api.arrived()).toMatchObject([{ method: 'PUT', body: 'onetwo' }]);
      });

      it('asks before a request of any method', async () => {
        const { api, usable } = stage;
        for (const method of ['GET', 'HEAD', 'POST', 'PATCH', 'DELETE', 'OPTIONS']) {
          expect((await client.as(usable.key).send(method, '/')).status).toBe(200);
          expect(api.arrived()).toMatchObject([{ method }]);
          expect((await client.as('x').send(method, '/')).status).toBe(401);
          expect(api.arrived()).toEqual([]);
        }
      });

      it('takes the key from X-API-Key too, and passes neither on', async () => {
        const { usable } = stage;
        const headers = { 'X-API-Key': usable.key };
        expect((await client.get('/', { headers })).status).toBe(200);
        expect(stage.arrivedTold()).toEqual([stage.toldOf(usable)]);
      });

      it('takes the key of the longest end user', async () => {
        const user = '\u{1F600}'.repeat(512);
        const { key } = await createKey(stage.service.client, { external: { user } });
        expect((await client.as(key).get('/')).status).toBe(200);
        expect(stage.arrivedTold()).toMatchObject([
          { 'keyledger-external-user': encodeURIComponent(user) },
        ]);
      });

      it('refuses a key that may not be used with the status of Keyledger', async () => {
        const { service } = stage;
        const disabled = await createKey(service.client);
        await service.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
        const expired = await createKey(service.client, { expires_at: '2001-01-01T00:00:00Z' });
        const rotated = await createKey(service.client);
        await service.client.post(`/v1/keys/${rotated.data.hash}/rotate`, { grace_seconds: 0 });
        const refused = [
          [undefined, 'NO_KEY'],
          ['x', 'MALFORMED'],
          [mintKeyString('sk-v1-'), 'NOT_FOUND'],
          [service.managementKey, 'NOT_FOUND'],
          [rotated.key, 'ROTATED'],
          [disabled.key, 'DISABLED'],
          [expired.key, 'EXPIRED'],
        ] as const;
        for (const [key, code] of refused) {
          const headers = await stage.expectRefused(client.as(key), 401);
          expect(headers.get('keyledger-code')).toBe(code);
          expect(headers.get('www-authenticate')).toContain('Bearer realm="keyledger"');
        }
        const spent = await createKey(service.client, { limit: 0, limit_reset: 'daily' });
        const headers = await stage.expectRefused(client.as(spent.key), 429);
        expect(headers.get('keyledger-code')).toBe('LIMIT_EXCEEDED');
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
        expect(Number(headers.get('retry-after'))).toBeLessThanOrEqual(60);
      });

      it('tells a client that it refuses the same in JSON as Keyledger, and logs no error', async () => {
        const { service } = stage;
        const spent = await createKey(service.client, { limit: 0 });
        const asking = {
          headers: { 'Keyledger-Authorization': `Bearer ${service.managementKey}` },
        };
        for (const key of [undefined, 'x', mintKeyString('sk-v1-'), spent.key]) {
          const { body, headers } = await client.as(key).get<Refused>('/');
          const own = await service.client
            .as(key)
            .get<Refused>('/v1/authorize?limit_status=429', asking);
          // nginx cannot say which limit is used up, because its answer is its own.
          const { scope, ...exceeded } = own.body.error.metadata;
          const metadata = name === 'nginx' ? { reason: exceeded.reason } : { scope, ...exceeded };
          expect(body.error).toEqual({ ...own.body.error, metadata });
          expect(headers.get('content-type')).toMatch(/^application\/json/);
        }
        expect(gateway.output()).not.toMatch(/\[error\]|"level":"error"/);
      });

      it('refuses a key once it is disabled, and takes it again once it is enabled', async () => {
        const { service, api } = stage;
        const { data, key } = await createKey(service.client);
        for (const [disabled, wanted] of [
          [false, 200],
          [true, 401],
          [false, 200],
        ] as const) {
          await service.client.patch(`/v1/keys/${data.hash}`, { disabled });
          // On a log server a replica knows of the change within a second.
          await eventually(`the key is answered ${wanted}`, async () => {
            const { status } = await client.as(key).get('/');
            expect(api.arrived()).toHaveLength(status === 200 ? 1 : 0);
            return status === wanted;
          });
        }
      });

      it('refuses a key of another workspace where one is demanded', async () => {
        const { api, usable } = stage;
        const home = demandingWorkspace(name, usable.data.workspace_id);
        const other = demandingWorkspace(name, 'another-one');
        for (const [change, status] of [
          [home, 200],
          [other, 403],
        ] as const) {
          const demanding = await stage.start(name, {}, change);
          try {
            for (const headers of [
              {},
              { 'Keyledger-Require-Workspace': usable.data.workspace_id },
            ]) {
              api.arrived();
              const asked = new HttpClient(demanding.address, usable.key);
              expect((await asked.get('/', { headers })).status).toBe(status);
              expect(stage.arrivedTold()).toEqual(status === 200 ? [stage.toldOf(usable)] : []);
            }
          } finally {
            await demanding.stop();
          }
        }
      });

      const naming = NAMING_USERS[name];
      // The files of the others clear the user.
      if (naming) {
        it('names a user whom it has authenticated, and no other', async () => {
          const { api, usable } = stage;
          const gateway = await stage.start(name, {}, naming);
          try {
            const asked = new HttpClient(gateway.address, usable.key);
            const told = async (user: string): Promise<unknown> => {
              const headers = { 'X-User': user, 'Keyledger-End-User': 'forged' };
              const { status } = await asked.get('/', { headers });
              const [arrived, ...more] = stage.arrivedTold();
              expect({ arrived: arrived !== undefined, more }).toEqual({
                arrived: status === 200,
                more: [],
              });
              return arrived?.['keyledger-end-user'];
            };
            expect(await told('a+b, c')).toBe('a+b, c');
            expect(await told('')).toBeUndefined();
            // As neither of the two encodes, this would be another user.
            for (const encoded of ['%61', '100%', '%']) expect(await told(encoded)).toBeUndefined();
            expect(api.arrived()).toEqual([]);
          } finally {
            await gateway.stop();
          }
        });
      }

      it('lets nobody in without a management key that is live', async () => {
        const { api, usable } = stage;
        for (const wrong of ['x', usable.key, mintKeyString('mk-v1-')]) {
          const unauthorized = await stage.start(name, { managementKey: wrong });
          try {
            const answer = await new HttpClient(unauthorized.address, usable.key).get('/');
            expect(answer.status).toBe(403);
            expect(answer.headers.get('keyledger-code')).toBe('GATEWAY_UNAUTHORIZED');
            expect(api.arrived()).toEqual([]);
          } finally {
            await unauthorized.stop();
          }
        }
      });

      it('lets nobody in while Keyledger is down', async () => {
        const { api } = stage;
        const elsewhere = await freshBackends();
        const away = await startService(elsewhere.settings);
        const asking = await stage.start(name, {
          keyledger: away.address,
          managementKey: away.managementKey,
        });
        try {
          const { key } = await createKey(away.client);
          const asked = new HttpClient(asking.address, key);
          expect((await asked.get('/')).status).toBe(200);
          expect(api.arrived()).toHaveLength(1);
          await away.stop('SIGKILL');
          const rule = rulesOf(name).find(([answer]) => answer === 'nothing');
          expect(String((await asked.get('/')).status)).toBe(rule?.[1]);
          expect(api.arrived()).toEqual([]);
        } finally {
          await asking.stop();
          await away.stop('SIGKILL');
          await elsewhere.dispose();
        }
      });

      it('tells the API nothing that a client says in the place of the gateway', async () => {
        const { service, usable } = stage;
        const plain = await createKey(service.client);
        for (const created of [usable, plain]) {
          for (const header of OF_THE_GATEWAY) {
            const spellings = [header, header.toUpperCase(), header.replaceAll('-', '_')];
            for (const spelling of [...spellings, header.replaceAll('-', '.')]) {
              const headers = { [spelling]: 'forged' };
              const { status } = await client.as(created.key).get('/', { headers });
              expect({ spelling, status }).toEqual({ spelling, status: 200 });
              expect(stage.arrivedTold()).toEqual([stage.toldOf(created)]);
            }
          }
        }
      });

      it('lets no client take a header of the gateway away', async () => {
        const { usable } = stage;
        for (const header of [...OF_THE_GATEWAY, 'Authorization', 'X-API-Key']) {
          const { status } = await sendRaw(
            gateway.address,
            `GET / HTTP/1.1\r\nHost: a\r\nConnection: close, ${header}\r\nConnection: ${header}\r\nAuthorization: Bearer ${usable.key}\r\n\r\n`,
          );
          const told = stage.arrivedTold();
          expect({ header, told }).toEqual({
            header,
            told: status === 200 ? [stage.toldOf(usable)] : [],
          });
        }
      });

      it('lets nobody in who sends what the gateway sends', async () => {
        const { service, usable } = stage;
        const spent = await createKey(service.client, { limit: 0 });
        const limited = client.as(spent.key);
        const unknown = mintKeyString('sk-v1-');
        const own = { 'Keyledger-Authorization': `Bearer ${service.managementKey}` };
        for (const headers of [own, { ...stage.toldOf(usable), ...own }]) {
          await stage.expectRefused(client, 401, { headers });
          await stage.expectRefused(client.as(unknown), 401, { headers });
        }
        for (const status of ['200', '403']) {
          await stage.expectRefused(limited, 429, {
            headers: { 'Keyledger-Limit-Status': status },
          });
          await stage.expectRefused(limited, 429, { path: `/?limit_status=${status}` });
        }
        await stage.expectRefused(client.as(unknown), 401, {
          headers: { 'X-Forwarded-Uri': '/', 'X-Original-URL': '/' },
        });
      });

      it('lets no client ask Keyledger itself', async () => {
        for (const path of ['/-/keyledger', '/v1/authorize', '/v1/keys']) {
          const answer = await client.as(stage.usable.key).get(path);
          expect(answer.headers.get('keyledger-key-hash')).toBeNull();
          // The API has all paths except one that nginx reserves.
          if (answer.status !== 404) expect(answer.text).toBe(stage.api.answer);
        }
      });

      it('lets nobody in where one request carries two keys in one header', async () => {
        const { api, usable } = stage;
        for (const [header, before] of [
          ['Authorization', 'Bearer '],
          ['X-API-Key', ''],
        ] as const) {
          const { status } = await sendRaw(
            gateway.address,
            `GET / HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${header}: ${before}${usable.key}\r\n${header}: ${before}${usable.key}\r\n\r\n`,
          );
          expect([400, 401]).toContain(status);
          expect(api.arrived()).toEqual([]);
        }
      });
    });
  }
});
