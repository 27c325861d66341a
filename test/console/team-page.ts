import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page } from 'playwright-core';
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

/** The members of the organization and their management keys. */
export function teamPage(stage: ConsoleStage): void {
  describe('the page of the team', () => {
    let key: string;
    let client: HttpClient;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      for (const user of HOSTILE) await client.put(`/v1/members/${encodeURIComponent(user)}`, {});
      for (const name of HOSTILE) {
        await client.post('/v1/management-keys', { role: 'auditor', name, user_id: name });
      }
    });

    const open = (as = key): Promise<Page> => stage.signedIn('/team', as);
    const row = (page: Page, text: string) => page.getByRole('row').filter({ hasText: text });
    const answer = async (page: Page, name: string): Promise<void> => {
      await page.getByRole('dialog').getByRole('button', { name }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
    };

    it('lists members and management keys with exact totals, and names as they are', async () => {
      const page = await open();
      await page.getByText('1–5 of 5 members').waitFor();
      await page.getByText('1–5 of 5 management keys').waitFor();
      expect(await row(page, 'ada').first().textContent()).toContain('owner');
      for (const name of HOSTILE) {
        expect(await page.getByRole('cell', { name, exact: true }).count()).toBe(3);
      }
      await expectFits(page);
      // The two lists have pages of their own, which the address holds.
      const beyond = await stage.signedIn('/team?members_offset=50&keys_offset=50', key);
      await beyond.getByText('This page is beyond the last of the members.').waitFor();
      await beyond.getByText('This page is beyond the last of the management keys.').waitFor();
      await expectAccessible(beyond);
    });

    it('adds a member by keyboard alone, and removes one after a question', async () => {
      const page = await open();
      await openByKeyboard(page, 'Add a member');
      await page.keyboard.type('..');
      await page.keyboard.press('Enter');
      await page.getByText('The API has no address for the ids').waitFor();
      await expectAccessible(page);
      await page.keyboard.type('/keys/abc');
      await page.keyboard.press('Enter');
      await page.getByText('1–6 of 6 members').waitFor();
      await page.getByRole('button', { name: 'Remove ../keys/abc', exact: true }).click();
      await page.getByText('Remove ../keys/abc from the organization?').waitFor();
      await expectAccessible(page);
      await answer(page, 'Remove');
      await page.getByText('1–5 of 5 members').waitFor();
      expect(await page.getByRole('button', { name: 'Remove ada' }).count()).toBe(0);
    });

    it('creates a management key whose string is shown once, and revokes it', async () => {
      const page = await open();
      await page.getByRole('button', { name: 'Create a management key' }).click();
      await expectAccessible(page);
      await page.getByLabel('Name').fill('nightly-report');
      await page.getByLabel('User').fill('nobody');
      await page.getByLabel('Role').selectOption('gateway');
      await page.getByLabel('Expires').fill('2031-01-01T00:00');
      await page.getByRole('button', { name: 'Create the key' }).click();
      await page.locator('small strong').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('nightly-report');
      await page.getByLabel('User').fill('');
      await page.getByRole('button', { name: 'Create the key' }).click();
      const made = await page.getByLabel('Key string').inputValue();
      expect(page.url()).not.toContain(made.slice(6));
      expect((await client.as(made).get('/v1/key')).body).toMatchObject({
        data: { label: 'nightly-report', role: 'gateway', creator_user_id: 'ada' },
      });
      await page.getByRole('button', { name: 'I have stored it' }).click();
      expect(await row(page, 'nightly-report').textContent()).toMatch(/gateway.*live.*2031-01-01/);
      expect(await page.content()).not.toContain(made);

      await page.getByRole('button', { name: 'Revoke nightly-report' }).click();
      await page.getByText('Revoke the management key nightly-report?').waitFor();
      await answer(page, 'Revoke');
      await row(page, 'nightly-report').waitFor({ state: 'detached' });
      expect((await client.as(made).get('/v1/key')).status).toBe(401);
    });

    it('says why the last admin key stays, and that it is the one in use', async () => {
      const page = await open();
      await row(page, 'admin').getByRole('button').click();
      await page.getByText('You are signed in with this key').waitFor();
      await page.getByRole('dialog').getByRole('button', { name: 'Revoke' }).click();
      await page.getByText('left without a live admin key').waitFor();
      await expectAccessible(page);
    });

    it('says what failed, shows an auditor no control, and is for organizations', async () => {
      const page = await open();
      await expectFailedState(page, '**/v1/members?*', 'owner');
      await expectFailedState(page, '**/v1/management-keys?*', '1–5 of 5 management keys');
      await expectNoControls(stage, client, '/team', 'owner');
      const alone = await open(await stage.individual());
      await alone.getByText('There is no such page').waitFor();
      expect(await alone.getByRole('link', { name: 'Team' }).count()).toBe(0);
    });
  });
}
