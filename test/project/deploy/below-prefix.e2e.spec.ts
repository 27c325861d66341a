import { afterAll, beforeAll, expect, it, jest } from '@jest/globals';
import type { Page } from 'playwright-core';
import { startedChromium } from '../../console/browser.js';
import { signIn } from '../../console/stage.js';
import { createKey } from '../../support/harness/api-keys.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import type { ServiceProcess } from '../../support/harness/service-process.js';
import { stageOfAll } from '../../support/harness/stage.js';
import { documentedVariant, startProxy } from './proxy.js';
import type { RunningProgram } from './running-program.js';

const PREFIX = '/a/b';

jest.setTimeout(60_000);

/** The blocks for a prefix in docs/operations/proxies.md. */
for (const name of ['nginx', 'haproxy'] as const) {
  onlyWhereInstalled(name)(`a service below a prefix, by the documented block for ${name}`, () => {
    const stage = stageOfAll();
    let service: ServiceProcess;
    let proxy: RunningProgram;
    let client: HttpClient;

    beforeAll(async () => {
      service = await stage.start();
      proxy = await startProxy(name, documentedVariant(name, 'A prefix'), service.address, PREFIX);
      client = new HttpClient(proxy.address, service.managementKey);
    });

    afterAll(() => proxy.stop());

    /** Registers an end user whose decoded path is the path of a key. */
    async function namedLikeKey(): Promise<{ readonly user: string; readonly keyPath: string }> {
      const { hash } = (await createKey(client)).data;
      const user = `../keys/${hash}`;
      await client.post('/v1/end-users', { user });
      return { user, keyPath: `/v1/keys/${hash}` };
    }

    async function expectOnlyDeactivated(user: string, keyPath: string): Promise<void> {
      const query = new URLSearchParams({ user, include_inactive: 'true' });
      expect((await client.get(`/v1/end-users?${query.toString()}`)).body).toMatchObject({
        data: [{ user, is_active: false }],
      });
      expect((await client.get(keyPath)).status).toBe(200);
    }

    it('gets the ids in paths as they came', async () => {
      const { user, keyPath } = await namedLikeKey();
      const path = `/v1/end-users/${encodeURIComponent(user)}`;
      expect((await client.delete(path)).status).toBe(204);
      await expectOnlyDeactivated(user, keyPath);
      // Decoded, this path would be above the prefix.
      const climbing = '../../../../console/';
      await client.post('/v1/end-users', { user: climbing });
      const climbed = `/v1/end-users/${encodeURIComponent(climbing)}`;
      expect((await client.delete(climbed)).status).toBe(204);
    });

    it('gets nothing that is not below the prefix', async () => {
      const { origin } = new URL(proxy.address);
      const outside = ['/v1/key', '/a/v1/key', '/keyledger', '/x/..%2Fa%2Fb/v1/key'];
      for (const path of outside) {
        const { status, headers } = await fetch(origin + path);
        expect({ path, status, id: headers.get('X-Request-Id') }).toEqual({
          path,
          status: 404,
          id: null,
        });
      }
    });

    it('shows the page of the API whole, which sends requests to the prefix', async () => {
      const root = `${proxy.address}/`;
      const { docs, openapi } = (await (await fetch(root)).json()) as Record<string, string>;
      const page = await fetch(new URL(`${docs}/`, root));
      expect(page.url).toBe(`${root}docs`);
      await expectLinksWithin(root, page, 3);
      const document = await fetch(new URL(openapi ?? '', root));
      const { servers } = (await document.json()) as { servers: { url: string }[] };
      expect(servers.map(({ url }) => new URL(url, document.url).href)).toEqual([root]);
    });

    it('shows the files of the console, with and without the slash', async () => {
      const page = await fetch(`${proxy.address}/console`);
      expect(page.url).toBe(`${proxy.address}/console/`);
      await expectLinksWithin(page.url, page, 3);
    });

    onlyWhereInstalled('chromium')('in the console', () => {
      const chromium = startedChromium();

      async function openEndUser(user: string): Promise<Page> {
        const page = await chromium.open();
        const query = new URLSearchParams({ user });
        await page.goto(`${proxy.address}/console/#/end-users?${query.toString()}`);
        await signIn(page, service.managementKey);
        return page;
      }

      it('deactivates the end user that was named', async () => {
        const { user, keyPath } = await namedLikeKey();
        const page = await openEndUser(user);
        await page.getByRole('button', { name: 'Deactivate' }).click();
        const dialog = page.getByRole('dialog');
        await dialog.getByRole('button', { name: 'Deactivate' }).click();
        await page.getByText('inactive', { exact: true }).waitFor();
        await expectOnlyDeactivated(user, keyPath);
      });
    });
  });
}

/** Fails unless the files that a page names exist below an address. */
async function expectLinksWithin(address: string, page: Response, least: number): Promise<void> {
  const html = await page.text();
  const links = [...html.matchAll(/(?:src|href)="([^"#]+)"/g)].map(([, link = '']) => link);
  expect(links.length).toBeGreaterThanOrEqual(least);
  for (const link of links) {
    const { status, url } = await fetch(new URL(link, page.url));
    expect({ link, status, url }).toMatchObject({
      status: 200,
      url: expect.stringContaining(address),
    });
  }
}
