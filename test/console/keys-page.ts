import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createKey, type OneKey } from '../support/harness/api-keys.js';
import { eventually } from '../support/harness/eventually.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { expectAccessible } from './accessibility.js';
import { expectFits, expectValue, failing, openOrganization } from './page-checks.js';
import { type ConsoleStage, signIn } from './stage.js';

const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  'مفتاح البحث',
  'x'.repeat(512),
  'javascript:alert(1)',
];
const PAGE_SIZE = 50;
const BATCH = Array.from({ length: PAGE_SIZE }, (_, index) => `batch-${index}`);

/** The list of keys, and the creation of one. */
export function keysPage(stage: ConsoleStage): void {
  describe('the page of keys', () => {
    let key: string;
    let client: HttpClient;
    let workspaceId: string;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      const created = await client.post<{ data: { id: string } }>('/v1/workspaces', {
        name: 'Payments',
      });
      workspaceId = created.body.data.id;
      await Promise.all(BATCH.map((name) => createKey(client, { name })));
      for (const name of HOSTILE) await createKey(client, { name, workspace_id: workspaceId });
      const external = { user: '../keys/abc' };
      const spent = { name: 'team-search', limit: 0, limit_reset: 'daily', external };
      await createKey(client, spent);
      const expires_at = '2020-01-01T00:00:00Z';
      await createKey(client, { name: 'old', limit: 0.000_000_001, expires_at });
      const { data } = await createKey(client, { name: 'off' });
      await client.patch(`/v1/keys/${data.hash}`, { disabled: true });
    });

    const open = (filters = ''): Promise<Page> => stage.signedIn(`/keys${filters}`, key);
    const row = (page: Page, name: string) =>
      page.getByRole('row').filter({ has: page.getByRole('link', { name, exact: true }) });
    const remove = async (made: string): Promise<void> => {
      const { body } = await client.as(made).get<OneKey>('/v1/key');
      await client.delete(`/v1/keys/${body.data.hash}`);
    };
    const total = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

    it('has pages with an exact total, which the address holds', async () => {
      const page = await open();
      await total(page, '1–50 of 56 keys');
      expect(await page.getByRole('row').count()).toBe(PAGE_SIZE + 1);
      await page.getByRole('button', { name: 'Next' }).click();
      await total(page, '51–56 of 56 keys');
      expect(page.url()).toMatch(/#\/keys\?offset=50$/);
      await page.reload();
      await total(page, '51–56 of 56 keys');
      await page.goBack();
      await total(page, '1–50 of 56 keys');
    });

    it('shows the state of each key, its limit, its workspace and its times', async () => {
      const page = await open();
      await row(page, 'team-search').getByText('Default').waitFor();
      expect(await row(page, 'team-search').textContent()).toMatch(
        /Default.*spent.*daily.*0\.00 of 0\.00 left.*never.*never/,
      );
      expect(await row(page, 'old').textContent()).toMatch(
        /expired.*0\.000000001 of 0\.000000001 left.*never.*2020-01-01/,
      );
      const batch = page.getByRole('row').filter({ hasText: 'batch-' }).first();
      expect(await batch.textContent()).toMatch(/live.*no limit/);
      expect(await row(page, 'old').locator('time').getAttribute('title')).toBe(
        '2020-01-01 00:00:00 UTC',
      );
      await row(page, HOSTILE[1] ?? '')
        .getByText('Payments')
        .waitFor();
    });

    it('shows names as they are, whatever they contain', async () => {
      const page = await open(`?workspace_id=${workspaceId}`);
      await total(page, '1–4 of 4 keys');
      for (const name of HOSTILE) expect(await row(page, name).count()).toBe(1);
      expect(await page.title()).toBe('Keys · Keyledger');
      await expectFits(page);
    });

    it('filters by one of creator, end user and expiry, and shows disabled keys', async () => {
      const page = await open();
      await page.getByLabel('Only by').selectOption('End user');
      await page.getByLabel('End user', { exact: true }).fill('../keys/abc');
      await page.getByRole('button', { name: 'Filter' }).click();
      await total(page, '1–1 of 1 keys');
      await page.reload();
      await total(page, '1–1 of 1 keys');
      expect(await page.getByLabel('End user', { exact: true }).inputValue()).toBe('../keys/abc');
      await page.getByLabel('Only by').selectOption('Any key');
      await page.getByLabel('Workspace', { exact: true }).selectOption('Default');
      await page.getByLabel('With disabled keys').check();
      await page.getByRole('button', { name: 'Filter' }).click();
      await total(page, '1–50 of 53 keys');
      expect(await row(page, 'off').textContent()).toContain('disabled');
      await page.getByLabel('Only by').selectOption('Expires before');
      await page.getByLabel('Expires before', { exact: true }).fill('2021-01-01T00:00');
      await page.getByRole('button', { name: 'Filter' }).click();
      await total(page, '1–1 of 1 keys');
    });

    it('leads a key string in a filter to its check, and never into an address', async () => {
      const page = await open('?creator_user_id=somebody');
      await page.getByLabel('Creator', { exact: true }).fill(key);
      await page.keyboard.press('Enter');
      await expectValue(page.getByLabel('Key string or hash'), key);
      expect(page.url()).toMatch(/#\/check$/);
    });

    it('creates a key whose string is shown once, and asks before that is left', async () => {
      const page = await open();
      await page.getByLabel('With disabled keys').check();
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByRole('button', { name: 'Create a key' }).click();
      await expectAccessible(page);
      await page.getByLabel('Name').fill('checkout-batch');
      await page.getByRole('dialog').getByLabel('Workspace').selectOption('Payments');
      await page.getByLabel('Limit, USD').fill('0.000000001');
      await page.getByLabel('Limit resets').selectOption('Weekly');
      await page.getByLabel('Expires', { exact: true }).fill('2031-01-01T00:00');
      await page.getByRole('button', { name: 'Create the key' }).click();
      const made = await page.getByLabel('Key string').inputValue();
      expect((await client.as(made).get('/v1/key')).body).toMatchObject({
        data: { label: 'checkout-batch', limit: 1e-9, limit_reset: 'weekly' },
      });
      await expectAccessible(page);
      const questions: string[] = [];
      page.on('dialog', (dialog) => {
        questions.push(dialog.type());
        void dialog.dismiss();
      });
      const asked = async (...types: string[]): Promise<void> => {
        await eventually(`question ${types.length}`, () => questions.length >= types.length);
        expect(questions).toEqual(types);
      };
      await page.keyboard.press('Escape');
      await asked('confirm');
      await page.evaluate('history.back()');
      await asked('confirm', 'confirm');
      await page.getByLabel('Key string').waitFor();
      await page.evaluate('location.reload()');
      await asked('confirm', 'confirm', 'beforeunload');
      expect(page.url()).not.toContain(made.slice(6));
      await page.getByRole('button', { name: 'I have stored it' }).click();
      await row(page, 'checkout-batch').waitFor();
      expect(await page.content()).not.toContain(made);
      await remove(made);
    });

    it('copies a string, also without the clipboard of a secure context', async () => {
      for (const isSecure of [true, false]) {
        const page = await stage.chromium.open({
          permissions: ['clipboard-read', 'clipboard-write'],
        });
        if (!isSecure) {
          await page.addInitScript(
            "Object.defineProperty(navigator, 'clipboard', { value: undefined })",
          );
        }
        await page.goto(`${stage.service.address}/console/#/keys`);
        await signIn(page, key);
        await page.getByRole('button', { name: 'Create a key' }).click();
        await page.getByLabel('Name').fill('copied');
        await page.keyboard.press('Enter');
        const made = await page.getByLabel('Key string').inputValue();
        await page.getByRole('button', { name: 'Copy' }).click();
        await page.getByText('Copied', { exact: true }).waitFor();
        await page.getByRole('button', { name: 'I have stored it' }).click();
        await page.getByRole('searchbox').focus();
        await page.keyboard.press('Control+V');
        await expectValue(page.getByRole('searchbox'), made);
        await remove(made);
      }
    });

    it('shows what is wrong with a field beside it, and keeps what was typed', async () => {
      const page = await open();
      await page.getByRole('button', { name: 'Create a key' }).click();
      for (const [limit, fault] of [
        ['1,5', 'must be a number, such as 25 or 0.5'],
        ['-1', 'must be a finite number of at least 0'],
        ['0x10', 'must be a number, such as 25 or 0.5'],
      ] as const) {
        await page.getByLabel('Name').fill('team-search');
        await page.getByLabel('Limit, USD').fill(limit);
        await page.getByRole('button', { name: 'Create the key' }).click();
        await page.getByRole('alert').waitFor();
        await page.locator('small').getByText(fault).waitFor();
        expect(await page.getByLabel('Limit, USD').getAttribute('aria-invalid')).toBe('true');
        expect(await page.getByLabel('Limit, USD').inputValue()).toBe(limit);
      }
      await expectAccessible(page);
    });

    it('says that there is no key, or none that matches', async () => {
      const page = await stage.signedIn('/keys', await stage.individual());
      await page.getByText('There are no enabled keys yet').waitFor();
      await expectAccessible(page);
      await page.getByLabel('Workspace', { exact: true }).selectOption('Default');
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('No key matches these filters').waitFor();
    });

    it('says what failed, what to do and whether it is out of date', async () => {
      const page = await open();
      const answers = [
        failing(),
        failing('rate-limited', 7, 429),
        { status: 200, headers: { 'Keyledger-Stale': 'true' }, json: { data: [], total_count: 0 } },
      ];
      for (const [index, text] of [
        'cannot do this at the moment: try again in 1 s',
        'Too many requests: try again in 7 s',
        'this may be out of date',
      ].entries()) {
        await page.route('**/v1/keys?*', (route) => route.fulfill(answers[index] ?? {}));
        if (index === 0) await page.reload();
        else await page.getByRole('button', { name: 'Try again' }).click();
        await page.getByText(text).waitFor();
        if (index < 2) await page.getByText('request-1').waitFor();
        await expectAccessible(page);
        await page.unroute('**/v1/keys?*');
      }
      await page.route('**/v1/keys?*', (route) => route.abort());
      await page.getByLabel('With disabled keys').check();
      await page.getByRole('button', { name: 'Filter' }).click();
      await page.getByText('The service did not answer').waitFor();
    });
  });
}
