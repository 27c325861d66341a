import { beforeAll, describe, expect, it } from '@jest/globals';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { expectAccessible } from './accessibility.js';
import { expectFits, expectValue, openOrganization } from './page-checks.js';
import type { ConsoleStage } from './stage.js';

const DAY_MS = 24 * 3_600 * 1_000;

/** What leads to keys: the overview, the check of a string, and the field that finds. */
export function overviewCheckAndFind(stage: ConsoleStage): void {
  let key: string;
  let client: HttpClient;
  let made: CreatedKey;

  beforeAll(async () => {
    ({ key, client } = await openOrganization(stage));
    const expires_at = new Date(Date.now() + 3 * DAY_MS).toISOString();
    made = await createKey(client, { name: 'checkout-batch', limit: 10, expires_at });
    await createKey(client, { name: 'later', expires_at: '2099-01-01T00:00:00Z' });
    await client.post('/v1/keys/verify', { hash: made.data.hash });
    await reportUsage(client, { key_hash: made.data.hash, cost: '10' });
    await client.post('/v1/keys/verify', { hash: made.data.hash });
    await eventually('the event of the limit', async () => {
      const events = '/v1/audit-events?action=key.limit-reached';
      return (await client.get<{ data: object[] }>(events)).body.data.length > 0;
    });
  });

  describe('the overview', () => {
    it('shows limits that were reached, keys that expire, spending and the last changes', async () => {
      const page = await stage.signedIn('/', key);
      const reached = page.getByRole('row').filter({ hasText: 'key.limit-reached' });
      await reached.first().waitFor();
      const expiring = page.getByRole('table', { name: 'Keys that expire' });
      await expiring.getByRole('link', { name: 'checkout-batch' }).waitFor();
      expect(await expiring.getByRole('row').count()).toBe(2);
      await page.getByText('highest day 10.00').waitFor();
      await page.getByRole('row').filter({ hasText: 'key.created' }).first().waitFor();
      await expectFits(page);
      await expiring.getByRole('link', { name: 'checkout-batch' }).click();
      await page.getByRole('heading', { name: 'checkout-batch' }).waitFor();
    });

    it('says what is missing in an account without keys, and what cannot be read', async () => {
      const page = await stage.signedIn('/', await stage.individual());
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
    it('says what a gateway would get, and keeps the string only when it fails', async () => {
      const page = await stage.signedIn('/check', key);
      await expectAccessible(page);
      await page.route('**/v1/keys/verify', (route) => route.abort());
      await page.getByLabel('Key string or hash').fill(made.key);
      await page.getByRole('button', { name: 'Check' }).click();
      await page.getByText('The service did not answer').waitFor();
      expect(await page.getByLabel('Key string or hash').inputValue()).toBe(made.key);
      await page.unroute('**/v1/keys/verify');
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
        await expectValue(page.getByLabel('Key string or hash'), text);
        addresses.push(page.url());
      }
      await page.goBack();
      await page.getByRole('heading', { name: 'Overview' }).waitFor();
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
      // The search is by ids, and says so.
      await page.getByRole('searchbox').fill('checkout-batch');
      await page.keyboard.press('Enter');
      await page.getByText('There is no search by name').waitFor();
      await expectAccessible(page);
    });
  });
}
