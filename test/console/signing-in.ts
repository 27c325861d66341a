import { describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { expectAccessible } from './accessibility.js';
import { expectNoControls, expectValue } from './page-checks.js';
import { type ConsoleStage, signIn } from './stage.js';

const MOST_IDLE_MS = 15 * 60 * 1_000;

interface Created {
  readonly key: string;
  readonly data: { readonly hash: string };
}

/** Who may see the console, and how the console forgets the key. */
export function signingIn(stage: ConsoleStage): void {
  const managementKey = async (role: string): Promise<Created> =>
    (await stage.client.post<Created>('/v1/management-keys', { role, name: `a ${role}` })).body;
  const signedIn = async (key = stage.service.managementKey, page?: Page): Promise<Page> => {
    const opened = page ?? (await stage.chromium.open());
    await opened.goto(`${stage.service.address}/console/#/keys`);
    await signIn(opened, key);
    await opened.getByRole('button', { name: 'Sign out' }).waitFor();
    return opened;
  };

  describe('signing in', () => {
    it('says who it is, keeps the key in the session storage alone, and ends in one click', async () => {
      const page = await signedIn();
      const banner = await page.getByRole('banner').textContent();
      expect(banner).toMatch(/admin.*never expires/);
      await expectAccessible(page);
      const { managementKey: key } = stage.service;
      expect(await page.evaluate('Object.values({ ...sessionStorage })')).toContain(key);
      expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage })')).toBe(
        '{}',
      );
      expect(page.url()).toBe(`${stage.service.address}/console/#/keys`);
      await page.reload();
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      expect(stage.service.output()).not.toContain(key.slice(6));
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Management key').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      const heading = page.getByRole('heading', { name: 'Keys', includeHidden: true });
      expect(await heading.count()).toBe(0);
    });

    it('shows why a key is refused, with the id of the request', async () => {
      const page = await stage.chromium.open();
      await page.goto(`${stage.service.address}/console/`);
      await expectAccessible(page);
      await signIn(page, `mk-v1-${'0'.repeat(64)}`);
      const alert = await page.getByRole('alert').textContent();
      expect(alert).toContain('Invalid API key');
      expect(alert).toMatch(/Request [\w-]{36}/);
      await signIn(page, 'ключ');
      await page.getByText('A key consists of printable ASCII.').waitFor();
    });

    it('shows an auditor every page, and nothing that changes something', async () => {
      await expectNoControls(stage, stage.client, '/keys', 'Keys');
    });

    it('says to a gateway and to a client what their keys are for, and shows no page', async () => {
      const { key: gateway } = await managementKey('gateway');
      const { body } = await stage.client.post<Created>('/v1/keys', { name: 'checkout-batch' });
      for (const [key, text] of [
        [gateway, 'a gateway verifies API keys'],
        [body.key, 'This is an API key'],
      ] as const) {
        const page = await signedIn(key);
        await page.getByText(text).waitFor();
        expect(await page.getByRole('navigation').count()).toBe(0);
        await expectAccessible(page);
      }
    });

    it('is needed again after 15 minutes without a touch, and keeps what was typed', async () => {
      const page = await stage.chromium.open();
      await page.clock.install();
      await signedIn(undefined, page);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('team-search');
      const touchedAt = Number(await page.evaluate("sessionStorage['keyledger-touched-at']"));
      // The clock stands from then on, so that no second of a busy machine counts.
      await page.clock.pauseAt(touchedAt + MOST_IDLE_MS - 2_000);
      expect(await page.getByLabel('Name').isVisible()).toBe(true);
      await page.clock.fastForward(3_000);
      await page.getByText('Nobody used this page for 15 minutes').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(await page.getByText('team-search').count()).toBe(0);
      await page.clock.resume();
      await signIn(page, stage.service.managementKey);
      await page.getByRole('dialog').waitFor();
      await expectValue(page.getByLabel('Name'), 'team-search');
    });

    it('is needed again when the key is revoked, and keeps what was typed', async () => {
      const { key, data } = await managementKey('admin');
      const page = await stage.signedIn('/workspaces/default', key);
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Name').fill('team-search');
      // A read that is refused would show the page to sign in before the change is sent.
      await page.getByText('This workspace has no budget').waitFor();
      await page.getByText('1–1 of 1 members').waitFor();
      await stage.client.delete(`/v1/management-keys/${data.hash}`);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('Invalid API key').first().waitFor();
      // What is read again may fail, and must not take away what was typed.
      await page.route('**/v1/workspaces/default', (route) => route.abort());
      await signIn(page, stage.service.managementKey);
      await page.getByText('The service did not answer').waitFor();
      await expectValue(page.getByRole('dialog').getByLabel('Name'), 'team-search');
    });

    it('does not end when a read with the key before is refused late', async () => {
      const { key, data } = await managementKey('auditor');
      const page = await stage.chromium.open();
      let release = (): void => undefined;
      const released = new Promise<void>((resolve) => (release = resolve));
      const isHeld = new Promise<void>((resolve) => {
        void page.route('**/v1/workspaces?*', async (route) => {
          if (route.request().headers().authorization !== `Bearer ${key}`) return route.continue();
          resolve();
          await released;
          return route.continue();
        });
      });
      await signedIn(key, page);
      await isHeld;
      await page.getByRole('button', { name: 'Sign out' }).click();
      await stage.client.delete(`/v1/management-keys/${data.hash}`);
      await signIn(page, stage.service.managementKey);
      await page.getByRole('button', { name: 'Create a key' }).waitFor();
      const refused = page.waitForResponse((response) => response.status() === 401);
      release();
      await (await refused).finished();
      await page.getByRole('link', { name: 'Workspaces' }).click();
      await page.getByText('1–1 of 1 workspaces').waitFor();
    });
  });
}
