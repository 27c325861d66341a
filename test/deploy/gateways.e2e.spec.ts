import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { createKey, type CreatedKey } from '../harness/api-keys.js';
import { type Backends, freshBackends } from '../harness/backends.js';
import { HttpClient } from '../harness/http-client.js';
import { onlyWhereInstalled } from '../harness/only-on.js';
import { sendRaw } from '../harness/raw-http.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';
import { type ApiBehind, startApi } from './api-behind.js';
import {
  type Change,
  demandingWorkspace,
  GATEWAYS,
  OF_THE_GATEWAY,
  rulesOf,
  type RunningGateway,
  startGateway,
} from './gateway.js';

const USER = 'Ürsula & Co';

function withoutEmpty(told: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== ''));
}

describe('deploy/gateways', () => {
  let backends: Backends;
  let service: ServiceProcess;
  let api: ApiBehind;
  let usable: CreatedKey;
  let accountId: string;

  beforeAll(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
    api = await startApi();
    usable = await createKey(service.client, { limit: 3, external: { user: USER } });
    const { headers } = await service.client.as(usable.key).get('/v1/authorize', {
      headers: { 'Keyledger-Authorization': `Bearer ${service.managementKey}` },
    });
    accountId = headers.get('keyledger-account') ?? '';
  });

  afterAll(async () => {
    await api.stop();
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  afterEach(() => {
    api.arrived();
  });

  /** What the API is told of a key, where nobody adds anything. */
  function toldOf({ data }: CreatedKey): Record<string, string> {
    const user = data.hash === usable.data.hash ? USER : '';
    return {
      'keyledger-key-hash': data.hash,
      'keyledger-account': accountId,
      'keyledger-workspace': data.workspace_id,
      'keyledger-external-user': encodeURIComponent(user),
      'keyledger-limit-remaining': String(data.limit_remaining ?? ''),
    };
  }

  /** What the API was told in each request. Gateways leave empty headers out, or not. */
  function arrivedTold(): Record<string, string>[] {
    return api.arrived().map(({ told }) => withoutEmpty(told));
  }

  for (const name of GATEWAYS) {
    onlyWhereInstalled(name)(`the configuration for ${name}`, () => {
      let gateway: RunningGateway;
      let client: HttpClient;

      function start(
        keyledger: string,
        managementKey: string,
        ...changes: Change[]
      ): Promise<RunningGateway> {
        return startGateway(name, { keyledger, api: api.address, managementKey, changes });
      }

      beforeAll(async () => {
        gateway = await start(service.address, service.managementKey);
        client = new HttpClient(gateway.address);
        api.arrived();
      });

      afterAll(() => gateway.stop());

      async function expectRefused(
        key: string | undefined,
        status: number,
        headers: Record<string, string> = {},
        path = '/',
      ): Promise<Headers> {
        const answer = await client.as(key).get(path, { headers });
        expect({ status: answer.status, arrived: api.arrived() }).toEqual({ status, arrived: [] });
        return answer.headers;
      }

      it('passes a request with a usable key on as it came, and says whose it is', async () => {
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
        expect(told).toMatchObject(toldOf(usable));
        expect(told).not.toHaveProperty('authorization');
      });

      it('takes the key from X-API-Key too, and passes neither on', async () => {
        const headers = { 'X-API-Key': usable.key };
        expect((await client.get('/', { headers })).status).toBe(200);
        expect(arrivedTold()).toEqual([toldOf(usable)]);
      });

      it('refuses a key that may not be used with the status of Keyledger', async () => {
        const disabled = await createKey(service.client);
        await service.client.patch(`/v1/keys/${disabled.data.hash}`, { disabled: true });
        const expired = await createKey(service.client, { expires_at: '2001-01-01T00:00:00Z' });
        const refused = [
          [undefined, 'NO_KEY'],
          ['x', 'MALFORMED'],
          [mintKeyString('sk-v1-'), 'NOT_FOUND'],
          [service.managementKey, 'NOT_FOUND'],
          [disabled.key, 'DISABLED'],
          [expired.key, 'EXPIRED'],
        ] as const;
        for (const [key, code] of refused) {
          const headers = await expectRefused(key, 401);
          expect(headers.get('keyledger-code')).toBe(code);
          expect(headers.get('www-authenticate')).toContain('Bearer realm="keyledger"');
        }
        const spent = await createKey(service.client, { limit: 0, limit_reset: 'daily' });
        const headers = await expectRefused(spent.key, 429);
        expect(headers.get('keyledger-code')).toBe('LIMIT_EXCEEDED');
        expect(Number(headers.get('retry-after'))).toBeGreaterThan(0);
      });

      it('refuses a key once it is disabled, and takes it again once it is enabled', async () => {
        const { data, key } = await createKey(service.client);
        for (const disabled of [false, true, false]) {
          await service.client.patch(`/v1/keys/${data.hash}`, { disabled });
          if (disabled) await expectRefused(key, 401);
          else expect((await client.as(key).get('/')).status).toBe(200);
          api.arrived();
        }
      });

      it('refuses a key of another workspace where one is demanded', async () => {
        const home = demandingWorkspace(name, usable.data.workspace_id);
        const other = demandingWorkspace(name, 'another-one');
        for (const [change, status] of [
          [home, 200],
          [other, 403],
        ] as const) {
          const demanding = await start(service.address, service.managementKey, change);
          try {
            for (const headers of [
              {},
              { 'Keyledger-Require-Workspace': usable.data.workspace_id },
            ]) {
              api.arrived();
              const asked = new HttpClient(demanding.address, usable.key);
              expect((await asked.get('/', { headers })).status).toBe(status);
              expect(arrivedTold()).toEqual(status === 200 ? [toldOf(usable)] : []);
            }
          } finally {
            await demanding.stop();
          }
        }
      });

      it('tells the API nothing that a client says in the place of the gateway', async () => {
        const plain = await createKey(service.client);
        for (const created of [usable, plain]) {
          for (const header of OF_THE_GATEWAY) {
            const spellings = [header, header.toUpperCase(), header.replaceAll('-', '_')];
            for (const spelling of [...spellings, header.replaceAll('-', '.')]) {
              const headers = { [spelling]: 'forged' };
              const { status } = await client.as(created.key).get('/', { headers });
              expect({ spelling, status }).toEqual({ spelling, status: 200 });
              expect(arrivedTold()).toEqual([withoutEmpty(toldOf(created))]);
            }
          }
        }
      });

      it('lets no client take a header of the gateway away', async () => {
        for (const header of [...OF_THE_GATEWAY, 'Authorization', 'X-API-Key']) {
          const { status } = await sendRaw(
            gateway.address,
            `GET / HTTP/1.1\r\nHost: a\r\nConnection: close, ${header}\r\nConnection: ${header}\r\nAuthorization: Bearer ${usable.key}\r\n\r\n`,
          );
          const told = arrivedTold();
          expect({ header, told }).toEqual({
            header,
            told: status === 200 ? [toldOf(usable)] : [],
          });
        }
      });

      it('lets nobody in who sends what the gateway sends', async () => {
        const spent = await createKey(service.client, { limit: 0 });
        const unknown = mintKeyString('sk-v1-');
        const own = { 'Keyledger-Authorization': `Bearer ${service.managementKey}` };
        for (const headers of [own, { ...toldOf(usable), ...own }]) {
          await expectRefused(undefined, 401, headers);
          await expectRefused(unknown, 401, headers);
        }
        for (const status of ['200', '403']) {
          await expectRefused(spent.key, 429, { 'Keyledger-Limit-Status': status });
          await expectRefused(spent.key, 429, {}, `/?limit_status=${status}`);
        }
        await expectRefused(unknown, 401, { 'X-Forwarded-Uri': '/', 'X-Original-URL': '/' });
      });

      it('lets nobody in where one request carries two keys in one header', async () => {
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

      it('lets nobody in without a management key that is live', async () => {
        for (const wrong of ['x', usable.key, mintKeyString('mk-v1-')]) {
          const unauthorized = await start(service.address, wrong);
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
        const elsewhere = await freshBackends();
        const away = await startService(elsewhere.settings);
        const asking = await start(away.address, away.managementKey);
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
    });
  }
});
