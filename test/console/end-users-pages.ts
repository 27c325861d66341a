import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
import { createKey } from '../support/harness/api-keys.js';
import { pathOf, register } from '../support/harness/end-users.js';
import type { HttpClient } from '../support/harness/http-client.js';
import { expectAccessible } from './accessibility.js';
import {
  HOSTILE,
  expectFailedState,
  expectFits,
  expectNoControls,
  openByKeyboard,
  openOrganization,
} from './page-checks.js';
import type { ConsoleStage } from './stage.js';

const BATCH = Array.from({ length: 50 }, (_, index) => `customer-${index}`);

const NO_COMMON_BUDGET = 'There is no budget that each end user has who has none of their own.';

/** The list of end users, the page of one, and their budgets. */
export function endUsersPages(stage: ConsoleStage): void {
  describe('the pages of end users', () => {
    let key: string;
    let client: HttpClient;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      await Promise.all(BATCH.map((user) => register({ client }, user)));
      await register({ client }, ...HOSTILE, '.', '..');
      await client.delete(pathOf('customer-1'));
    });

    const open = (filters = ''): Promise<Page> => stage.signedIn(`/end-users${filters}`, key);
    const openUser = (user: string): Promise<Page> =>
      open(`?${new URLSearchParams({ user }).toString()}`);
    const heading = (page: Page, name: string) =>
      page.getByRole('heading', { level: 1, name, exact: true }).waitFor();
    const trackingId = (page: Page) => page.getByLabel('Tracking ID', { exact: true });
    const total = (page: Page, text: string) => page.getByText(text, { exact: true }).waitFor();

    it('list the active ones, or all, with an exact total that the address holds', async () => {
      const page = await open();
      await total(page, '1–50 of 55 end users');
      await page.getByLabel('With inactive end users').check();
      await page.getByRole('button', { name: 'Filter' }).click();
      await total(page, '1–50 of 56 end users');
      const row = page.getByRole('row').filter({ hasText: 'customer-1inactive' });
      expect(await row.locator('time').count()).toBe(2);
      await page.getByRole('button', { name: 'Last' }).click();
      await total(page, '51–56 of 56 end users');
      await page.reload();
      await total(page, '51–56 of 56 end users');
      expect(page.url()).toMatch(/#\/end-users\?include_inactive=true&offset=50$/);
    });

    it('show tracking IDs as they are, and lead to each', async () => {
      const page = await open('?include_inactive=true&offset=50');
      for (const user of [...HOSTILE, '.', '..']) {
        await page.getByRole('link', { name: user, exact: true }).click();
        await heading(page, user);
        await page.getByText('Registered').waitFor();
        await expectFits(page);
        await page.goBack();
      }
      await total(page, '51–56 of 56 end users');
      await expectFits(page);
    });

    it('have "." and ".." in the list alone, because the API has no path for them', async () => {
      const page = await openUser('..');
      await page.getByText('only the list has it').waitFor();
      expect(await page.getByRole('button', { name: 'Deactivate' }).count()).toBe(0);
      expect(await page.getByRole('heading', { name: 'Budget' }).count()).toBe(0);
    });

    it('find one by its tracking ID, and lead a key string to the check instead', async () => {
      const page = await open();
      await trackingId(page).fill('nobody');
      await page.keyboard.press('Enter');
      await heading(page, 'nobody');
      await page.getByText('No end user with this tracking ID is registered').waitFor();
      await page.goBack();
      const string = `sk-v1-${'0'.repeat(64)}`;
      await trackingId(page).fill(string);
      await page.keyboard.press('Enter');
      await page.waitForURL(/#\/check$/);
      expect(await page.evaluate('location.href')).not.toContain('sk-v1');
    });

    it('register one by keyboard alone, and keep what was typed when it is refused', async () => {
      const page = await open();
      await openByKeyboard(page, 'Register an end user');
      await page.keyboard.type('customer-1');
      await page.keyboard.press('Enter');
      await page.getByText('already registered in this organization').waitFor();
      const typed = page.getByRole('dialog').getByLabel('Tracking ID');
      expect(await typed.inputValue()).toBe('customer-1');
      await page.keyboard.press('End');
      await page.keyboard.type(' ');
      await page.keyboard.press('Enter');
      await page.locator('small strong').waitFor();
      await expectAccessible(page);
      await page.keyboard.press('Backspace');
      await page.keyboard.type('st');
      await page.keyboard.press('Enter');
      await heading(page, 'customer-1st');
      expect((await client.get(pathOf('customer-1st'))).status).toBe(200);
      await client.delete(pathOf('customer-1st'));
    });

    it('deactivate and reactivate exactly the one that is named like a path', async () => {
      const { data } = await createKey(client, { name: 'checkout-batch' });
      const user = `../keys/${data.hash}`;
      await register({ client }, user);
      const page = await openUser(user);
      for (const [verb, state] of [
        ['Deactivate', 'inactive'],
        ['Reactivate', 'active'],
      ] as const) {
        await page.getByRole('button', { name: verb }).click();
        await page.getByRole('dialog').getByText(`${verb} the end user ${user}?`).waitFor();
        await page.getByRole('dialog').getByRole('button', { name: verb }).click();
        await page.getByRole('main').getByText(state, { exact: true }).waitFor();
      }
      expect((await client.get(`/v1/keys/${data.hash}`)).status).toBe(200);
      await client.delete(pathOf(user));
      await client.delete(`/v1/keys/${data.hash}`);
    });

    it('set, change and remove the common budget and one of their own', async () => {
      const page = await open();
      await page.getByText(NO_COMMON_BUDGET).waitFor();
      await page.getByRole('button', { name: 'Set a budget' }).click();
      await page.getByRole('button', { name: 'Set the budget' }).click();
      await page.locator('small').getByText('must be a number').waitFor();
      await page.getByLabel('Limit, USD').fill('0.000000001');
      await page.getByLabel('Limit resets').selectOption('Daily');
      await page.keyboard.press('Enter');
      await page.getByText('0.000000001', { exact: true }).waitFor();
      expect((await client.get('/v1/end-user-budget')).body).toMatchObject({
        data: { limit: 1e-9, limit_reset: 'daily', include_byok_in_limit: false },
      });

      await page.getByRole('link', { name: 'customer-2', exact: true }).click();
      await page.getByText('The common budget holds').waitFor();
      expect(await page.getByRole('button', { name: 'Remove the budget' }).count()).toBe(0);
      await page.getByRole('button', { name: 'Set a budget' }).click();
      await page.getByLabel('Limit, USD').fill('25');
      await page.getByLabel('BYOK usage counts').check();
      await page.getByRole('button', { name: 'Set the budget' }).click();
      await page.getByText('25.00 of 25.00 left').waitFor();
      await expectFits(page);

      await page.getByRole('button', { name: 'Remove the budget' }).click();
      await expectAccessible(page);
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('The common budget holds').waitFor();
      expect((await client.delete('/v1/end-user-budget')).status).toBe(200);
    });

    it('say what a change failed of, and that a budget may be set all the same', async () => {
      const page = await openUser('customer-3');
      await page.getByRole('button', { name: 'Set a budget' }).click();
      await page.getByLabel('Limit, USD').fill('7');
      await page.route('**/budget', async (route) => {
        if (route.request().method() === 'PUT') await route.fetch();
        await route.fulfill({
          status: 503,
          json: {
            error: {
              message: 'The change is stored, but its usage cannot be read now',
              metadata: { reason: 'stored-usage-unknown' },
            },
          },
        });
      });
      await page.getByRole('button', { name: 'Set the budget' }).click();
      await page.getByRole('dialog').getByText('The change is stored').waitFor();
      expect(await page.getByLabel('Limit, USD').inputValue()).toBe('7');
      await page.unroute('**/budget');
      await page.keyboard.press('Escape');
      await page.getByText('7.00 of 7.00 left').waitFor();
    });

    it('say what is empty, what failed, and show an auditor no control', async () => {
      const empty = await openOrganization(stage);
      const page = await stage.signedIn('/end-users', empty.key);
      await page.getByText('No active end user is registered').waitFor();
      await page.getByText(NO_COMMON_BUDGET).waitFor();
      await expectAccessible(page);
      const full = await open();
      await expectFailedState(full, '**/v1/end-users?*', 'customer-0');
      await expectNoControls(stage, client, '/end-users', 'customer-0');
      await expectNoControls(stage, client, '/end-users?user=customer-3', '7.00 of 7.00 left');
    });

    it('are not there for an individual account', async () => {
      const page = await stage.signedIn('/end-users', await stage.individual());
      await page.getByText('There is no such page').waitFor();
      expect(await page.getByRole('link', { name: 'End users' }).count()).toBe(0);
    });
  });
}
