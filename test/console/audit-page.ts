import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { register } from '../support/harness/end-users.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import {
  expectCount,
  expectFailedState,
  expectFits,
  expectNoControls,
  HOSTILE,
  openOrganization,
} from './page-checks.js';
import type { ConsoleStage } from './stage.js';

/** Who changed what, and which limits were reached. */
export function auditPage(stage: ConsoleStage): void {
  describe('the page of audit events', () => {
    let key: string;
    let client: HttpClient;
    let batch: CreatedKey;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      const users = Array.from({ length: 60 }, (_, index) => `customer-${index}`);
      await Promise.all(users.map((user) => register({ client }, user)));
      await register({ client }, ...HOSTILE);
      batch = await createKey(client, { name: 'checkout-batch', limit: 10 });
      await client.post('/v1/keys/verify', { hash: batch.data.hash });
      await reportUsage(client, { key_hash: batch.data.hash, cost: '9' });
      await eventually('the event of the limit', async () => {
        const reached = '/v1/audit-events?action=key.limit-reached';
        return (await client.get<{ data: object[] }>(reached)).body.data.length === 1;
      });
      await client.patch(`/v1/keys/${batch.data.hash}`, { limit: 25, name: 'team-search' });
    });

    const open = (filters = ''): Promise<Page> => stage.signedIn(`/audit${filters}`, key);
    const rows = (page: Page) => page.getByRole('table').getByRole('row');
    const counted = (page: Page, count: number) => expectCount(rows(page), count);

    it('shows a change as before and after, and leads to what it was about', async () => {
      const page = await open();
      await counted(page, 51);
      const changed = rows(page).filter({ hasText: 'key.limit-changed' });
      expect(await changed.textContent()).toContain('limit 10 → 25');
      expect(await rows(page).nth(1).textContent()).toMatch(/key\.(renamed|limit-changed)/);
      await changed.getByRole('link', { name: 'team-search' }).click();
      await page.getByRole('heading', { name: 'team-search' }).waitFor();
      expect(page.url()).toContain(`#/keys/${batch.data.hash}`);
    });

    it('shows names as they are, whatever they contain', async () => {
      const page = await open();
      for (const name of HOSTILE) {
        await rows(page).getByRole('link', { name, exact: true }).waitFor();
      }
      expect(await page.title()).toBe('Audit · Keyledger');
      await expectFits(page);
    });

    it('has pages, which the address holds', async () => {
      const page = await open('?target_type=end-user');
      await counted(page, 51);
      await page.getByRole('button', { name: 'Next' }).focus();
      await page.keyboard.press('Enter');
      await counted(page, 15);
      await page.reload();
      await counted(page, 15);
      await page.getByRole('button', { name: 'First' }).click();
      await counted(page, 51);
      await page.goBack();
      await counted(page, 15);
    });

    it('filters by action, actor, target and time', async () => {
      const page = await open();
      const filter = async (count: number): Promise<void> => {
        await page.keyboard.press('Enter');
        await counted(page, count);
      };
      await page.getByLabel('Action').selectOption('Limits reached');
      await page.getByRole('button', { name: 'Filter' }).focus();
      await filter(2);
      expect(await rows(page).locator('.fault').textContent()).toBe('key.limit-reached');
      expect(await rows(page).last().textContent()).toContain('threshold 80limit 10spent 9');
      await page.getByLabel('Actor').fill('limits');
      await filter(2);
      await page.getByLabel('Action').selectOption('Any action');
      await page.getByLabel('Actor').fill('');
      await page.getByLabel('Target', { exact: true }).selectOption('Key');
      await page.getByLabel('Id of the target').fill(batch.data.hash);
      await filter(5);
      await page.reload();
      await counted(page, 5);
      expect(await page.getByLabel('Id of the target').inputValue()).toBe(batch.data.hash);
      await page.getByLabel('Before').fill('2020-01-01T00:00');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('No event matches these filters').waitFor();
      expect(page.url()).toMatch(/to=(2019-12-31|2020-01-01)T/);
    });

    it('knows every action of the API', async () => {
      const described = (await readFile('docs/openapi.yaml', 'utf8')).replaceAll(/\s+/g, ' ');
      const [, actions] = /events with any of them\. One of (.*?);/.exec(described) ?? [];
      const page = await open('?action=key.renamed,key.invented&from=never');
      const options = page.getByLabel('Action').locator('option');
      await options.nth(1).waitFor({ state: 'attached' });
      const titles = await options.allTextContents();
      expect(titles.slice(2, -1).sort()).toEqual(actions?.split(', ').sort());
      expect(await page.getByLabel('Action').inputValue()).toBe('key.renamed,key.invented');
    });

    it('says that nothing matches, what failed, and shows an auditor all of it', async () => {
      const page = await open('?actor=nobody');
      await page.getByText('No event matches these filters').waitFor();
      await expectFits(page);
      await expectFailedState(page, '**/v1/audit-events?*', 'No event matches these filters');
      await expectNoControls(stage, client, '/audit', 'team-search');
      const individual = await stage.signedIn('/audit', await stage.individual());
      await rows(individual).filter({ hasText: 'account.created' }).waitFor();
      expect(await rows(individual).locator('a[href*=team]').count()).toBe(0);
    });
  });
}
