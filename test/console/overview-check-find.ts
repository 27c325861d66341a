import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { HttpClient } from '../support/harness/http-client.js';
import { expectAccessible } from './browser.js';
import type { ConsoleStage } from './stage.js';

const DAY_MS = 24 * 3_600 * 1_000;

/** What leads to keys: the overview, the check of a string, and the field that finds. */
export function overviewCheckAndFind(stage: ConsoleStage): void {
  let key: string;
  let client: HttpClient;
  let made: CreatedKey;

  beforeAll(async () => {
    key = await stage.openAccount('organization');
    client = new HttpClient(stage.service.address, key);
    const expires_at = new Date(Date.now() + 3 * DAY_MS).toISOString();
    made = await createKey(client, { name: 'checkout-batch', limit: 10, expires_at });
    await createKey(client, { name: 'later', expires_at: '2099-01-01T00:00:00Z' });
  });

  describe('the overview', () => {
    it('shows limits that were reached, keys that expire, spending and the last changes', async () => {
      await client.post('/v1/keys/verify', { hash: made.data.hash });
      const records = [{ key_hash: made.data.hash, cost: '10' }];
      await client.put(`/v1/usage-reports/${randomUUID()}`, { records });
      await client.post('/v1/keys/verify', { hash: made.data.hash });
      const page = await stage.signedIn('/', key);
      const reached = page.getByRole('row').filter({ hasText: 'key.limit-reached' });
      await reached.first().waitFor();
      const expiring = page.getByRole('table', { name: 'Keys that expire' });
      await expiring.getByRole('link', { name: 'checkout-batch' }).waitFor();
      expect(await expiring.getByRole('row').count()).toBe(2);
      await page.getByText('highest day 10.00').waitFor();
      await page.getByRole('row').filter({ hasText: 'key.created' }).first().waitFor();
      await expectAccessible(page);
      for (const width of [400, 2_000]) {
        await page.setViewportSize({ width, height: 900 });
        expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
      }
      await expiring.getByRole('link', { name: 'checkout-batch' }).click();
      await page.getByRole('heading', { name: 'checkout-batch' }).waitFor();
    });

    it('says what is missing in an account without keys, and what cannot be read', async () => {
      const page = await stage.signedIn('/', await stage.openAccount('individual'));
      await page.getByText('No limit was reached.').waitFor();
      await page.getByText('No key expires.').waitFor();
      await expectAccessible(page);
      await page.route('**/v1/activity?*', (route) => route.abort());
      await page.reload();
      await page.getByText('The service did not answer').waitFor();
      await page.getByText('No key expires.').waitFor();
    });
  });

  describe('the check of a key', () => {
    it('says what a gateway would get, and keeps nothing of the string', async () => {
      const page = await stage.signedIn('/check', key);
      await expectAccessible(page);
      await page.getByLabel('Key string or hash').fill(made.key);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByRole('heading', { name: 'LIMIT_EXCEEDED' }).waitFor();
      await page.getByText('the key', { exact: true }).waitFor();
      await expectAccessible(page);
      expect(await page.getByLabel('Key string or hash').inputValue()).toBe('');
      expect(await page.content()).not.toContain(made.key.slice(6));
      expect(page.url()).not.toContain(made.key.slice(6));
      await page.getByLabel('Key string or hash').fill('0'.repeat(64));
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'NOT_FOUND' }).waitFor();
      await page.getByLabel('Key string or hash').fill('sk-v1-1');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'MALFORMED' }).waitFor();
    });

    it('keeps the string when it fails', async () => {
      const page = await stage.signedIn('/check', key);
      await page.route('**/v1/keys/verify', (route) => route.abort());
      await page.getByLabel('Key string or hash').fill(made.key);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('The service did not answer').waitFor();
      expect(await page.getByLabel('Key string or hash').inputValue()).toBe(made.key);
    });

    it('is not there for an auditor', async () => {
      const auditor = await client.post<CreatedKey>('/v1/management-keys', { role: 'auditor' });
      const page = await stage.signedIn('/check', auditor.body.key);
      await page.getByRole('heading', { name: 'There is no such page' }).waitFor();
      expect(await page.getByRole('link', { name: 'Check' }).count()).toBe(0);
    });
  });

  describe('the field that finds', () => {
    it('opens the key of a hash', async () => {
      const page = await stage.signedIn('/', key);
      await page.getByRole('searchbox').fill(` ${made.data.hash} `);
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'checkout-batch' }).waitFor();
      expect(page.url()).toMatch(new RegExp(`#/keys/${made.data.hash}$`));
    });

    it('leads a key string to its check, and never into an address or a request', async () => {
      const page = await stage.signedIn('/', key);
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      for (const text of [made.key, `Bearer ${made.key}`, made.key.toUpperCase()]) {
        await page.getByRole('searchbox').fill(text);
        await page.keyboard.press('Enter');
        await page.getByRole('heading', { name: 'Check a key' }).waitFor();
        expect(await page.getByLabel('Key string or hash').inputValue()).toBe(text);
        addresses.push(page.url());
      }
      await page.goBack();
      await page.goForward();
      expect(await page.getByLabel('Key string or hash').inputValue()).toBe('');
      expect(addresses.join().toLowerCase()).not.toContain(made.key.slice(6));
    });

    it('offers everything that has the same id', async () => {
      await client.post('/v1/workspaces', { name: 'Twice', slug: 'twice' });
      await client.post('/v1/end-users', { user: 'twice' });
      const page = await stage.signedIn('/find?text=twice', key);
      await page.getByText('Several things have this id').waitFor();
      expect(await page.getByRole('main').getByRole('listitem').allTextContents()).toEqual([
        'Workspace Twice',
        'End user twice',
      ]);
      await expectAccessible(page);
    });

    it('says that there is no search by name', async () => {
      const page = await stage.signedIn('/find?text=checkout-batch', key);
      await page.getByText('There is no search by name').waitFor();
      await expectAccessible(page);
    });
  });
}
