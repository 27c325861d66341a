import { once } from 'node:events';
import { createServer, type IncomingHttpHeaders, type Server } from 'node:http';
import type { AddressInfo } from 'node:net';
import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import type { ServiceProcess } from '../../support/harness/service-process.js';
import { stageOfAll } from '../../support/harness/stage.js';
import { documentedVariant, replaced, startProxy } from './proxy.js';
import type { RunningProgram } from './running-program.js';

const SIGNED_ON = 'sign-on=ada';

jest.setTimeout(60_000);

/** The block for sign-on in docs/operations/proxies.md. */
onlyWhereInstalled('nginx')('a service behind the documented sign-on', () => {
  const stage = stageOfAll();
  const asked: IncomingHttpHeaders[] = [];
  let service: ServiceProcess;
  let signOn: Server;
  let proxy: RunningProgram;

  beforeAll(async () => {
    service = await stage.start();
    // Like oauth2-proxy: it knows who is signed on, and has pages of its own.
    signOn = createServer(({ url, headers }, response) => {
      asked.push(headers);
      if (url === '/oauth2/auth') response.statusCode = headers.cookie === SIGNED_ON ? 202 : 401;
      response.end('sign on');
    }).listen(0, '127.0.0.1');
    await once(signOn, 'listening');
    const { port } = signOn.address() as AddressInfo;
    const block = replaced(documentedVariant('nginx', 'Sign-on for people'), [
      ['127.0.0.1:4180', `127.0.0.1:${port}`],
      ['127.0.0.1:4180', `127.0.0.1:${port}`],
    ]);
    proxy = await startProxy('nginx', block, service.address);
  });

  afterAll(async () => {
    await proxy.stop();
    signOn.closeAllConnections();
    signOn.close();
  });

  const ask = (path: string, headers: Readonly<Record<string, string>>): Promise<Response> =>
    fetch(proxy.address + path, { headers, redirect: 'manual' });
  const withKey = (key: string) => ({ Authorization: `Bearer ${key}` });

  it('is reached by nobody who is not signed on, with or without a key', async () => {
    const page = await ask('/console/', {});
    expect(page.status).toBe(302);
    const place = new URL(page.headers.get('Location') ?? '', proxy.address);
    expect(await (await ask(place.pathname + place.search, {})).text()).toBe('sign on');
    for (const path of ['/v1/key', '/docs', '/']) {
      expect((await ask(path, withKey(service.managementKey))).status).toBe(403);
    }
  });

  it('still asks for a key of those who are signed on, and says itself which is wrong', async () => {
    const cookie = { Cookie: SIGNED_ON };
    expect((await ask('/console/', cookie)).status).toBe(200);
    const right = await ask('/v1/key', { ...cookie, ...withKey(service.managementKey) });
    expect(right.status).toBe(200);
    const wrong = await ask('/v1/key', { ...cookie, ...withKey('mk-v1-wrong') });
    expect(wrong.status).toBe(401);
    expect(wrong.headers.get('X-Request-Id')).not.toBeNull();
  });

  it('shows the key to no other program', async () => {
    await ask('/oauth2/userinfo', withKey(service.managementKey));
    expect(asked.length).toBeGreaterThan(0);
    expect(asked.filter(({ authorization }) => authorization !== undefined)).toEqual([]);
  });
});
