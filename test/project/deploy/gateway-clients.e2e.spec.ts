import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { createKey } from '../../support/harness/api-keys.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { sendRaw } from '../../support/harness/raw-http.js';
import { gatewayStage } from './gateway-stage.js';
import { GATEWAYS, OF_THE_GATEWAY, type RunningGateway } from './gateway.js';

describe('deploy/gateways and clients that speak for a gateway', () => {
  const stage = gatewayStage();

  for (const name of GATEWAYS) {
    onlyWhereInstalled(name)(`the configuration for ${name}`, () => {
      let gateway: RunningGateway;
      let client: HttpClient;

      beforeAll(async () => {
        gateway = await stage.start(name);
        client = new HttpClient(gateway.address);
      });

      afterAll(() => gateway.stop());

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
