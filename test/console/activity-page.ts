import { beforeAll, describe, expect, it } from '@jest/globals';
import { readFile } from 'node:fs/promises';
import type { Page } from 'playwright-core';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { expectAccessible } from './accessibility.js';
import {
  expectCount,
  expectFailedState,
  expectFits,
  failing,
  openOrganization,
} from './page-checks.js';
import type { ConsoleStage } from './stage.js';

const DAY_MS = 24 * 3_600 * 1_000;
const DAYS = 30;
const USERS = [
  '=1+1',
  '../keys/abc',
  '<img src=x onerror="document.title=1">',
  'مرحبا',
  'a "b", c',
];

/** What was used by day: charts, a table page by page, and files. */
export function activityPage(stage: ConsoleStage): void {
  describe('the page of activity', () => {
    const today = new Date().toISOString().slice(0, 10);
    let key: string;
    let client: HttpClient;
    let batch: CreatedKey;
    let deleted: CreatedKey;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      const { body } = await client.post<{ data: { id: string } }>('/v1/workspaces', {
        name: 'Payments',
      });
      batch = await createKey(client, { name: 'checkout-batch' });
      deleted = await createKey(client, { name: '<b>old</b>', workspace_id: body.data.id });
      const records = [batch, deleted].flatMap(({ data: { hash: key_hash } }, which) =>
        Array.from({ length: DAYS }, (_, day) => ({
          key_hash,
          cost: which === 0 ? '1.5' : '0.000000001',
          byok_cost: '0.25',
          requests: day + 1,
          user: USERS[day % USERS.length],
          occurred_at: new Date(Date.parse(`${today}T00:00:00Z`) - day * DAY_MS).toISOString(),
        })),
      );
      await reportUsage(client, ...records);
      await client.delete(`/v1/keys/${deleted.data.hash}`);
    });

    const open = (filters = ''): Promise<Page> => stage.signedIn(`/activity${filters}`, key);
    const table = (page: Page, by: string) =>
      page.getByRole('table', { name: `Activity by day and ${by}`, exact: true });
    const filter = (page: Page): Promise<void> =>
      page.getByRole('button', { name: 'Filter' }).click();

    it('lists what keys used by day, page by page, with their names', async () => {
      const page = await open();
      const rows = table(page, 'key').getByRole('row');
      await rows.filter({ hasText: `${today}checkout-batchDefault1.500.251` }).waitFor();
      const { hash } = deleted.data;
      const events = `a[href*="/audit?target_type=key&target_id=${hash}"]`;
      await rows.locator(events).getByText(hash).first().waitFor();
      expect(await rows.count()).toBe(51);
      await page.getByText('highest day 2.000000001').waitFor();
      await page.getByRole('button', { name: 'Next' }).focus();
      await page.keyboard.press('Enter');
      await expectCount(rows, 11);
      expect(page.url()).toContain('cursor=');
      await page.reload();
      await expectCount(rows, 11);
      expect(await page.getByRole('button', { name: 'Next' }).isDisabled()).toBe(true);
      await page.getByRole('button', { name: 'First' }).click();
      await expectCount(rows, 51);
      await page.goBack();
      await expectCount(rows, 11);
    });

    it('shows the days of one workspace, of one key or of one end user', async () => {
      const page = await open();
      await page.getByLabel('Workspace', { exact: true }).selectOption('Payments');
      await filter(page);
      await page.getByText('highest day 0.250000001').waitFor();
      await page.getByLabel('Workspace', { exact: true }).selectOption('All workspaces');
      await page.getByLabel('Hash of a key').fill(batch.data.hash);
      await page.keyboard.press('Enter');
      await page.getByText('highest day 1.75').waitFor();
      await page.getByLabel('Rows by').selectOption('End user');
      await page.getByLabel('Tracking ID', { exact: true }).fill(USERS[1] ?? '');
      await filter(page);
      await page
        .getByRole('link', { name: USERS[1] ?? '' })
        .first()
        .waitFor();
      await page.getByText('highest day 54').waitFor();
      await page.reload();
      expect(await page.getByLabel('Tracking ID', { exact: true }).inputValue()).toBe(USERS[1]);
      await page.getByLabel('Rows by').selectOption('Workspace');
      await page.getByLabel('From (UTC)').fill(today);
      await filter(page);
      await expectCount(page.locator('svg g'), 2);
      await expectCount(table(page, 'workspace').getByRole('row'), 3);
      await page.getByLabel('From (UTC)').fill('2020-01-01');
      await filter(page);
      await expectCount(page.locator('svg g'), 2 * 366);
    });

    it('shows ids of end users as they are, whatever they contain', async () => {
      const page = await open('?group_by=user');
      for (const name of USERS) {
        await table(page, 'user').getByRole('link', { name, exact: true }).first().waitFor();
      }
      expect(await page.title()).toBe('Activity · Keyledger');
      await expectFits(page);
    });

    it('saves every row as NDJSON and as CSV, without formulas', async () => {
      const page = await open('?group_by=user');
      const saved = async (type: string): Promise<readonly string[]> => {
        const [download] = await Promise.all([
          page.waitForEvent('download'),
          page.getByRole('button', { name: `Download ${type}` }).click(),
        ]);
        expect(download.suggestedFilename()).toMatch(/^activity-by-user-[\d-]{21}\.(ndjson|csv)$/);
        const lines = (await readFile(await download.path(), 'utf8')).split(/\r?\n/);
        expect(lines.pop()).toBe('');
        return lines;
      };
      const query = '/v1/activity?group_by=user&limit=1000';
      const { body } = await client.get<{ data: { user: string }[] }>(query);
      const json = await saved('NDJSON');
      expect(json.map((line): unknown => JSON.parse(line))).toEqual(body.data);
      const [head, ...rows] = await saved('CSV');
      expect(head).toBe('date,api_key_hash,user,workspace_id,usage,byok_usage,requests');
      expect(rows).toHaveLength(DAYS);
      expect(rows[0]).toBe(`${today},,'=1+1,,1.500000001,0.5,2`);
      expect(rows[4]).toContain(',,"a ""b"", c",,1.500000001,0.5,10');
    });

    it('says that nothing was used, and what failed', async () => {
      const page = await stage.signedIn('/activity', await stage.individual());
      await page.getByText('Nothing was used in these days').waitFor();
      expect(await page.getByLabel('Rows by').textContent()).toBe('KeyWorkspace');
      await expectAccessible(page);
      await expectFailedState(page, '**/v1/activity?*', 'highest day 0.00');
      await page.getByLabel('From (UTC)').fill('2099-01-01');
      await filter(page);
      await page
        .getByText(/`?from`? must not be/)
        .first()
        .waitFor();
      await page.route('**/v1/activity?*', (route) => route.fulfill(failing()));
      await page.getByRole('button', { name: 'Download CSV' }).click();
      await page.getByRole('dialog').getByText('It failed').waitFor();
      await expectAccessible(page);
    });

    it('shows an auditor all of it', async () => {
      const { body } = await client.post<CreatedKey>('/v1/management-keys', { role: 'auditor' });
      const page = await stage.signedIn('/activity', body.key);
      await page.getByRole('link', { name: 'checkout-batch' }).first().waitFor();
      expect(await page.getByRole('button', { name: 'Download CSV' }).count()).toBe(1);
    });
  });
}
