import { describe, expect, it } from '@jest/globals';
import type { ConsoleStage } from './stage.js';
import { expectAccessible } from './browser.js';
import { signIn } from './stage.js';

interface Created {
  readonly key: string;
  readonly data: { readonly hash: string };
}

/** Who may see the console, and how the console forgets the key. */
export function signingIn(stage: ConsoleStage): void {
  const managementKey = async (role: string): Promise<Created> =>
    (await stage.client.post<Created>('/v1/management-keys', { role, name: `a ${role}` })).body;

  describe('signing in', () => {
    it('says the account, the user, the role and the expiry', async () => {
      const page = await stage.signedIn('/keys');
      const banner = await page.getByRole('banner').textContent();
      expect(banner).toContain('admin');
      expect(banner).toContain('never expires');
      await expectAccessible(page);
    });

    it('keeps the key in the session storage, and no part of it in the address', async () => {
      const page = await stage.signedIn('/keys');
      const { managementKey: key } = stage.service;
      expect(await page.evaluate('Object.values({ ...sessionStorage })')).toContain(key);
      expect(await page.evaluate('document.cookie + JSON.stringify({ ...localStorage })')).toBe(
        '{}',
      );
      expect(page.url()).toBe(`${stage.service.address}/console/#/keys`);
      await page.reload();
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      expect(stage.service.output()).not.toContain(key.slice(6));
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
      const { key } = await managementKey('auditor');
      const page = await stage.signedIn('/keys', key);
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      expect(await page.getByRole('button', { name: 'Create a key' }).count()).toBe(0);
      await expectAccessible(page);
    });

    it('says to a gateway and to a client what their keys are for, and shows no page', async () => {
      const { key: gateway } = await managementKey('gateway');
      const { body } = await stage.client.post<Created>('/v1/keys', { name: 'checkout-batch' });
      for (const [key, text] of [
        [gateway, 'a gateway verifies API keys'],
        [body.key, 'This is an API key'],
      ] as const) {
        const page = await stage.signedIn('/keys', key);
        await page.getByText(text).waitFor();
        expect(await page.getByRole('navigation').count()).toBe(0);
        await expectAccessible(page);
      }
    });

    it('is needed again after 15 minutes without a touch, and keeps what was typed', async () => {
      const page = await stage.chromium.open();
      await page.clock.install();
      await page.goto(`${stage.service.address}/console/#/keys`);
      await signIn(page, stage.service.managementKey);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('team-search');
      await page.clock.fastForward('14:58');
      expect(await page.getByLabel('Name').isVisible()).toBe(true);
      await page.clock.fastForward('00:03');
      await page.getByText('Nobody used this page for 15 minutes').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(await page.getByText('team-search').count()).toBe(0);
      await signIn(page, stage.service.managementKey);
      expect(await page.getByLabel('Name').inputValue()).toBe('team-search');
    });

    it('is needed again when the key is revoked, and keeps what was typed', async () => {
      const { key, data } = await managementKey('admin');
      const page = await stage.signedIn('/keys', key);
      await page.getByRole('button', { name: 'Create a key' }).click();
      await page.getByLabel('Name').fill('team-search');
      await stage.client.delete(`/v1/management-keys/${data.hash}`);
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.getByText('Invalid API key').first().waitFor();
      await signIn(page, stage.service.managementKey);
      expect(await page.getByLabel('Name').inputValue()).toBe('team-search');
    });

    it('ends in one click, and nothing of it stays', async () => {
      const page = await stage.signedIn('/keys');
      await page.getByRole('button', { name: 'Sign out' }).click();
      await page.getByLabel('Management key').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
      expect(await page.getByRole('heading', { name: 'Keys', includeHidden: true }).count()).toBe(
        0,
      );
    });
  });
}
