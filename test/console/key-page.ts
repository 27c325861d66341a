import { beforeAll, describe, expect, it } from '@jest/globals';
import { randomUUID } from 'node:crypto';
import type { Page } from 'playwright-core';
import { createKey, type CreatedKey, type OneKey } from '../support/harness/api-keys.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { expectAccessible } from './accessibility.js';
import {
  expectFits,
  expectNoControls,
  failing,
  openByKeyboard,
  openOrganization,
} from './page-checks.js';
import type { ConsoleStage } from './stage.js';

const HOSTILE = '<img src=x onerror="document.title=1"> مفتاح';

/** Everything about one key. */
export function keyPage(stage: ConsoleStage): void {
  describe('the page of a key', () => {
    let key: string;
    let client: HttpClient;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
    });

    async function open(body: object = {}): Promise<{ page: Page; made: CreatedKey }> {
      const made = await createKey(client, { name: 'checkout-batch', ...body });
      const page = await stage.signedIn(`/keys/${made.data.hash}`, key);
      await page.getByRole('heading', { name: made.data.name }).waitFor();
      return { page, made };
    }
    const read = async ({ data }: CreatedKey) =>
      (await client.get<OneKey>(`/v1/keys/${data.hash}`)).body.data;
    const fact = (page: Page, name: string) =>
      page.locator('dl > div').filter({ has: page.getByText(name, { exact: true }) });

    it('shows its fields, what is left, its strings and its events, whatever its name', async () => {
      const external = { user: '../keys/abc' };
      const { page, made } = await open({
        name: HOSTILE,
        limit: 25,
        limit_reset: 'daily',
        external,
      });
      await fact(page, 'Limit, USD').getByText('25.00 of 25.00 left').waitFor();
      const midnight = new Date(new Date().setUTCHours(24, 0, 0, 0)).toISOString();
      const resets = fact(page, 'Limit resets').locator('time');
      expect(await resets.getAttribute('datetime')).toBe(midnight);
      await fact(page, 'End user').getByRole('link', { name: '../keys/abc' }).waitFor();
      await fact(page, 'Hash').getByText(made.data.hash).waitFor();
      await page.getByRole('row').filter({ hasText: 'key.created' }).waitFor();
      await page.getByRole('table', { name: 'Strings' }).getByText(made.data.hash).waitFor();
      await expectFits(page);
    });

    it('sends a new expiry also when the rest is stored without its usage', async () => {
      const { page, made } = await open();
      await page.route(`**/v1/keys/${made.data.hash}`, async (route) => {
        if (route.request().method() !== 'PATCH') return route.fallback();
        await route.fetch();
        const metadata = { reason: 'stored-usage-unknown' };
        return route.fulfill({ status: 503, json: { error: { message: 'It is', metadata } } });
      });
      await page.getByRole('button', { name: 'Edit', exact: true }).click();
      await page.getByLabel('Name', { exact: true }).fill('checkout-batch-eu');
      await page.getByLabel('Expires', { exact: true }).fill('2099-06-01T00:00');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'checkout-batch-eu' }).waitFor();
      expect(await read(made)).toMatchObject({ expires_at: '2099-06-01T00:00:00.000Z' });
    });

    it('draws its use of 30 days, which a table says too', async () => {
      const { page, made } = await open();
      const records = ['0.1', '0.2'].map((cost) => ({
        key_hash: made.data.hash,
        cost,
        byok_cost: '0.000000001',
        requests: 2,
      }));
      await reportUsage(client, ...records);
      await page.reload();
      await page.getByText('The days as a table').click();
      const today = new Date().toISOString().slice(0, 10);
      const days = page.getByRole('table', { name: 'this key by day (UTC)' });
      const row = days.getByRole('row').filter({ hasText: today });
      await row.waitFor();
      expect(await row.getByRole('cell').allTextContents()).toEqual([
        today,
        '0.30',
        '0.000000002',
        '4',
      ]);
      expect(await page.locator('svg rect.usage[height="0"]').count()).toBe(29);
      await expectAccessible(page);
    });

    it('is disabled in one click, and enabled in another one', async () => {
      const { page, made } = await open();
      await page.getByRole('button', { name: 'Disable' }).click();
      await fact(page, 'State').getByText('disabled').waitFor();
      expect((await read(made)).disabled).toBe(true);
      await page.getByRole('row').filter({ hasText: 'key.disabled' }).waitFor();
      await page.getByRole('button', { name: 'Enable' }).click();
      await fact(page, 'State').getByText('live').waitFor();
    });

    it('sends only the fields that were changed', async () => {
      const { page, made } = await open({ limit: 5, expires_at: '2031-01-01T00:00:30.500Z' });
      const sent: unknown[] = [];
      page.on('request', (request) => {
        if (request.method() !== 'GET') sent.push(request.postDataJSON());
      });
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Name', { exact: true }).fill('team-search');
      await expectAccessible(page);
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('heading', { name: 'team-search' }).waitFor();
      expect(sent).toEqual([{ name: 'team-search' }]);
      expect(await read(made)).toMatchObject({ limit: 5, expires_at: '2031-01-01T00:00:30.500Z' });
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByLabel('Limit, USD').fill('');
      await page.getByLabel('Expires', { exact: true }).fill('');
      await page.getByRole('button', { name: 'Save' }).click();
      await fact(page, 'Limit, USD').getByText('no limit').waitFor();
      expect(sent.slice(1)).toEqual([{ limit: null }, { expires_at: null }]);
    });

    it('moves to another workspace, and says why it may not', async () => {
      const { page } = await open();
      const name = `Search ${randomUUID()}`;
      await client.post('/v1/workspaces', { name });
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByRole('dialog').getByLabel('Workspace').selectOption({ label: name });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByText('is not a member of the target workspace').waitFor();
      expect(await page.getByRole('dialog').getByLabel('Workspace').inputValue()).not.toBe('');
    });

    it('gets a new string, which is shown once, and its old one an end', async () => {
      const { page, made } = await open();
      await page.getByRole('button', { name: 'Rotate' }).click();
      await expectAccessible(page);
      await page.getByLabel('Its other strings end').selectOption('in an hour');
      await page.getByRole('button', { name: 'Make a new string' }).click();
      const string = await page.getByLabel('Key string').inputValue();
      await page.getByText('end in an hour').waitFor();
      await page.getByRole('button', { name: 'I have stored it' }).click();
      expect((await client.as(string).get('/v1/key')).status).toBe(200);
      expect((await client.as(made.key).get('/v1/key')).status).toBe(200);
      await page.getByRole('button', { name: 'End now' }).click();
      await page.getByRole('button', { name: 'End now' }).waitFor({ state: 'detached' });
      expect((await client.as(made.key).get('/v1/key')).status).toBe(401);
    });

    it('is deleted after a question that names it, by the keyboard alone', async () => {
      const { page, made } = await open({ name: HOSTILE });
      for (const leave of ['Escape', 'Enter']) {
        await openByKeyboard(page, 'Delete');
        await page.getByRole('dialog').getByText(HOSTILE).waitFor();
        await expectAccessible(page);
        // The focus is on the button that does nothing.
        await page.keyboard.press(leave);
        await page.getByRole('dialog').waitFor({ state: 'detached' });
        expect((await read(made)).hash).toBe(made.data.hash);
      }
      await page.keyboard.press('Enter');
      await page.getByRole('dialog').waitFor();
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Enter');
      await page.getByRole('heading', { name: 'Keys' }).waitFor();
      expect((await client.get(`/v1/keys/${made.data.hash}`)).status).toBe(404);
      await page.goBack();
      await page.getByText('Resource not found').waitFor();
      await expectAccessible(page);
    });

    it('says whether a budget of its workspace or of its end user stops it', async () => {
      const { page, made } = await open({ external: { user: 'customer-42' } });
      await fact(page, 'Budget of the workspace').getByText('none').waitFor();
      await client.put(`/v1/workspaces/${made.data.workspace_id}/budget`, { limit: 0 });
      await client.put('/v1/end-user-budget', { limit: 10 });
      await page.reload();
      await fact(page, 'Budget of the workspace').getByText('This budget stops the key').waitFor();
      await fact(page, 'Budget of the end user').getByText('10.00 of 10.00 left').waitFor();
      await client.delete(`/v1/workspaces/${made.data.workspace_id}/budget`);
      await client.delete('/v1/end-user-budget');
    });

    it('has no control that changes something for an auditor', async () => {
      const { data } = await createKey(client, { name: 'checkout-batch' });
      await expectNoControls(stage, client, `/keys/${data.hash}`, 'key.created');
    });

    it('keeps a dialog that was opened while a change was on its way', async () => {
      const { page } = await open();
      let answer = (): void => undefined;
      const answered = new Promise<void>((resolve) => (answer = resolve));
      await page.route('**/v1/keys/*', async (route) => {
        if (route.request().method() === 'PATCH') await answered;
        await route.continue();
      });
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('button', { name: 'Rotate' }).click();
      await page.getByRole('dialog').waitFor();
      answer();
      await fact(page, 'State').getByText('disabled').waitFor();
      expect(await page.getByRole('dialog').isVisible()).toBe(true);
      await page.getByRole('button', { name: 'Make a new string' }).click();
      await page.getByLabel('Key string').waitFor();
      // A string that is shown once stays also when the key cannot be read after another change.
      await page.route('**/v1/keys/*', (route) =>
        route.request().method() === 'GET' ? route.fulfill(failing()) : route.continue(),
      );
      await page.getByRole('button', { name: 'Enable' }).dispatchEvent('click');
      await page.getByText('It failed').waitFor();
      await page.getByLabel('Key string').waitFor();
    });

    it('says why a change failed', async () => {
      const { page } = await open();
      await page.route('**/v1/keys/*', (route) =>
        route.request().method() === 'PATCH' ? route.abort() : route.continue(),
      );
      await page.getByRole('button', { name: 'Disable' }).click();
      await page.getByRole('dialog').getByText('The service did not answer').waitFor();
      await expectAccessible(page);
    });
  });
}
