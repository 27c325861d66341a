import { once } from 'node:events';
import { createServer } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { GatewayPort } from '../../src/gateway-port.js';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { readSettings } from '../../src/settings/settings.js';
import { createKey, type CreatedKey } from '../harness/api-keys.js';
import { type Backends, freshBackends } from '../harness/backends.js';
import { errorOf } from '../harness/error-of.js';
import { eventually } from '../harness/eventually.js';
import { HttpClient } from '../harness/http-client.js';
import { sendRaw } from '../harness/raw-http.js';
import { runningApp, type TestAccount } from '../harness/running-app.js';
import {
  runServiceToItsEnd,
  type ServiceProcess,
  startService,
} from '../harness/service-process.js';
import { beginRegistration, signalStop } from '../harness/stopping-service.js';

const BODY = JSON.stringify({ user: 'ada' });

describe('the port of gateways', () => {
  const service = runningApp();
  let account: TestAccount;
  let created: CreatedKey;
  let port: GatewayPort;
  let address: string;
  let gateway: HttpClient;

  beforeAll(async () => {
    account = await service.openAccount();
    created = await createKey(account.client);
    port = await portOf(account.managementKey);
    address = await port.listen();
    gateway = new HttpClient(address);
  });

  afterAll(() => {
    port.server.close().closeAllConnections();
  });

  async function portOf(managementKey: string): Promise<GatewayPort> {
    const settings = readSettings({ GATEWAY_PORT: '0', GATEWAY_MANAGEMENT_KEY: managementKey });
    if (!settings.gateway) throw new Error('the settings have no gateway port');
    return new GatewayPort(service.app, settings, settings.gateway);
  }

  it('asks for the holder of its management key', async () => {
    const { status, headers } = await gateway.as(created.key).get('/v1/authorize/any');
    expect(status).toBe(200);
    expect(headers.get('keyledger-account')).toBe(account.accountId);
    const foreign = await createKey((await service.openAccount()).client);
    const refused = await gateway.as(foreign.key).get('/v1/authorize');
    expect(refused.headers.get('keyledger-code')).toBe('NOT_FOUND');
  });

  it('refuses a management key in a header, be it right or wrong', async () => {
    for (const key of [account.managementKey, mintKeyString('mk-v1-'), 'x']) {
      const headers = { 'Keyledger-Authorization': `Bearer ${key}` };
      const answer = await gateway.as(created.key).send('GET', '/v1/authorize', { headers });
      errorOf(answer, 403);
      expect(answer.headers.get('keyledger-code')).toBe('GATEWAY_UNAUTHORIZED');
    }
  });

  it('refuses such a header also where it is given twice', async () => {
    const header = `Keyledger-Authorization: Bearer ${account.managementKey}\r\n`;
    const { status, text } = await sendRaw(
      address,
      `GET /v1/authorize HTTP/1.1\r\nHost: a\r\nConnection: close\r\nAuthorization: Bearer ${created.key}\r\n${header}${header}\r\n`,
    );
    expect({ status, text }).toMatchObject({
      status: 403,
      text: expect.stringContaining('"gateway-unauthorized"'),
    });
  });

  it('serves nothing else', async () => {
    const routes = ['/', '/v1/keys', '/v1/authorizex', '/health/live', '/metrics', '/docs', '/%zz'];
    for (const path of routes) {
      for (const method of ['GET', 'PUT']) {
        const answer = await gateway.as(account.managementKey).send(method, path);
        errorOf(answer, 404);
        expect(answer.text).toContain('"route-unknown"');
      }
    }
  });

  it('is closed while its management key is none', async () => {
    const other = await portOf(mintKeyString('mk-v1-'));
    const client = new HttpClient(await other.listen());
    const answer = await client.as(created.key).get('/v1/authorize');
    other.server.close().closeAllConnections();
    errorOf(answer, 403);
    expect(answer.headers.get('keyledger-code')).toBe('GATEWAY_UNAUTHORIZED');
  });
});

describe('a service with GATEWAY_PORT', () => {
  let backends: Backends;
  let service: ServiceProcess | undefined;

  beforeEach(async () => {
    backends = await freshBackends();
    service = undefined;
  });

  afterEach(async () => {
    await service?.stop('SIGKILL');
    await backends.dispose();
  });

  it('says where it listens, and stops that port with the other one', async () => {
    const managementKey = mintKeyString('mk-v1-');
    service = await startService({
      ...backends.settings,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      GATEWAY_PORT: '0',
      GATEWAY_MANAGEMENT_KEY: managementKey,
    });
    const { gateway_address } = await service.logs(/^ready$/);
    const gateway = new HttpClient(String(gateway_address));
    const { key } = await createKey(service.client);
    expect(await gateway.as(key).get('/v1/authorize')).toMatchObject({ status: 200 });
    const underWay = await beginRegistration(service, BODY, 1);
    await signalStop(service, 'SIGTERM');
    // The request in flight on the other port goes on.
    await eventually('the port of gateways is closed', () =>
      gateway.get('/v1/authorize').then(
        () => false,
        () => true,
      ),
    );
    underWay.send(BODY.slice(1));
    await underWay.closed;
    expect(await service.ended).toBe(0);
    expect(service.output()).not.toContain(managementKey);
  });

  it('does not start where that port is taken, and names the setting', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const { code, output } = await runServiceToItsEnd({
      ...backends.settings,
      GATEWAY_PORT: String(port),
      GATEWAY_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    });
    holder.close();
    expect(code).toBe(1);
    expect(output).toMatch(/^.*GATEWAY_PORT: .*EADDRINUSE.*$/m);
  });

  it('does not start without its management key', async () => {
    const { code, output } = await runServiceToItsEnd({ ...backends.settings, GATEWAY_PORT: '0' });
    expect(code).toBe(1);
    expect(output).toContain('GATEWAY_MANAGEMENT_KEY: missing');
  });
});
