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

interface Made {
  readonly data: { readonly id: string; readonly slug: string };
}

/** The list of workspaces, and the page of one with its budget and its members. */
export function workspacesPages(stage: ConsoleStage): void {
  describe('the pages of workspaces', () => {
    let key: string;
    let client: HttpClient;
    let made: Made['data'];

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      const names = HOSTILE.map((name) => name.slice(0, 100));
      for (const name of names) {
        const body = { name, slug: `s-${names.indexOf(name)}`, restrictions: [name.slice(0, 64)] };
        made = (await client.post<Made>('/v1/workspaces', body)).body.data;
      }
      for (const user of HOSTILE) await client.put(`/v1/members/${encodeURIComponent(user)}`, {});
    });

    const open = (path = ''): Promise<Page> => stage.signedIn(`/workspaces${path}`, key);
    const heading = (page: Page, name: string) =>
      page.getByRole('heading', { level: 1, name, exact: true }).waitFor();

    it('list all with an exact total, show names as they are, and lead to each', async () => {
      const page = await open();
      await page.getByText('1–5 of 5 workspaces').waitFor();
      await expectFits(page);
      for (const name of ['Default', ...HOSTILE.map((long) => long.slice(0, 100))]) {
        await page.getByRole('link', { name, exact: true }).click();
        await heading(page, name);
        await page.getByText('This workspace has no budget').waitFor();
        await expectFits(page);
        await page.goBack();
      }
    });

    it('create one by keyboard alone, and keep what was typed when it is refused', async () => {
      const page = await open();
      await openByKeyboard(page, 'Create a workspace');
      await expectAccessible(page);
      await page.keyboard.type('Payments');
      await page.keyboard.press('Tab');
      await page.keyboard.type('s-0');
      await page.keyboard.press('Enter');
      await page.getByText('Another workspace of the account has this slug').waitFor();
      expect(await page.getByLabel('Name').inputValue()).toBe('Payments');
      await page.keyboard.press('Shift+Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('payments');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.type('eu-only\n\n no training \n');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await heading(page, 'Payments');
      const { body } = await client.get('/v1/workspaces/payments');
      expect(body).toMatchObject({
        data: { description: null, restrictions: [' no training ', 'eu-only'] },
      });
    });

    it('send only the fields that were changed, and show the new name', async () => {
      const { body } = await client.post<Made>('/v1/workspaces', {
        name: 'Search',
        description: 'of all',
        restrictions: ['eu-only'],
      });
      const page = await open(`/${body.data.id}`);
      const sent: unknown[] = [];
      page.on('request', (request) => {
        if (request.method() === 'PATCH') sent.push(request.postDataJSON());
      });
      const edit = async (label: string, text: string): Promise<void> => {
        await page.getByRole('button', { name: 'Edit' }).click();
        await page.getByRole('dialog').getByLabel(label).fill(text);
        await page.getByRole('button', { name: 'Save' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      };
      await edit('Name', 'Team search');
      await heading(page, 'Team search');
      await edit('Restrictions', '');
      let read = (): void => undefined;
      const isRead = new Promise<void>((resolve) => (read = resolve));
      await page.route(`**/v1/workspaces/${body.data.id}`, async (route) => {
        if (route.request().method() === 'GET') await isRead;
        await route.continue();
      });
      await edit('Description', '');
      // What is read while the form is open was not changed in it.
      await page.getByRole('button', { name: 'Edit' }).click();
      read();
      await page.getByText('of all').waitFor({ state: 'detached' });
      await page.getByRole('button', { name: 'Save' }).click();
      await page.getByRole('dialog').waitFor({ state: 'detached' });
      expect(sent).toEqual([{ name: 'Team search' }, { restrictions: [] }, { description: null }]);
    });

    it('say what is wrong with a field beside it', async () => {
      const page = await open(`/${made.id}`);
      await page.getByRole('button', { name: 'Edit' }).click();
      const slug = page.getByRole('dialog').getByLabel('Slug');
      await slug.fill('No Slug');
      await page.getByRole('button', { name: 'Save' }).click();
      await page.locator('small strong').waitFor();
      expect(await slug.getAttribute('aria-invalid')).toBe('true');
      expect(await slug.inputValue()).toBe('No Slug');
      await expectAccessible(page);
    });

    it('do not make two of a restriction that has a line break', async () => {
      const body = { name: 'Batch', slug: 'batch', restrictions: ['eu\nonly', 'audited'] };
      await client.post('/v1/workspaces', body);
      const page = await open('/batch');
      await page.getByRole('button', { name: 'Edit' }).click();
      await page.getByText('has a line break, so only the API changes them').waitFor();
      await page.getByLabel('Restrictions').focus();
      await page.keyboard.type('x');
      await page.getByRole('dialog').getByLabel('Name').fill('Nightly');
      await page.getByRole('button', { name: 'Save' }).click();
      await heading(page, 'Nightly');
      const { body: kept } = await client.get<Made>('/v1/workspaces/batch');
      expect(kept.data).toMatchObject({ name: 'Nightly', restrictions: ['audited', 'eu\nonly'] });
    });

    it('add members and remove them after a question, but not in the default workspace', async () => {
      const ofDefault = await open('/default');
      await ofDefault.getByText('1–5 of 5 members').waitFor();
      const controls = ofDefault.getByRole('button', { name: /Add a member|Remove/ });
      expect(await controls.count()).toBe(0);
      const page = await open(`/${made.id}`);
      await page.getByText('There is no member of the workspace yet').waitFor();
      for (const user of HOSTILE) {
        await page.getByRole('button', { name: 'Add a member' }).click();
        await page.getByLabel('User').fill(user);
        await page.keyboard.press('Enter');
        await page.getByRole('cell', { name: user, exact: true }).waitFor();
      }
      await page.getByText('1–4 of 4 members').waitFor();
      await expectFits(page);
      await page.getByRole('button', { name: 'Add a member' }).click();
      await page.getByLabel('User').fill('nobody');
      await page.keyboard.press('Enter');
      await page.getByText('The user is not a member of the account').first().waitFor();
      await page.keyboard.press('Escape');
      for (const user of HOSTILE) {
        await page.getByRole('button', { name: `Remove ${user}`, exact: true }).click();
        await page.getByText(`Remove ${user} from the workspace?`, { exact: true }).waitFor();
        await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
        await page.getByRole('dialog').waitFor({ state: 'detached' });
      }
      await page.getByText('There is no member of the workspace yet').waitFor();
    });

    it('set and remove a budget', async () => {
      const page = await open(`/${made.id}`);
      await page.getByRole('button', { name: 'Set a budget' }).click();
      await page.getByLabel('Limit, USD').fill('25');
      await page.getByLabel('Limit resets').selectOption('Monthly');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Tab');
      await page.keyboard.press('Enter');
      await page.getByText('25.00 of 25.00 left').waitFor();
      await page.getByText('Usage this month, USD').waitFor();
      await page.getByRole('button', { name: 'Remove the budget' }).click();
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).click();
      await page.getByText('This workspace has no budget').waitFor();
    });

    it('say what failed and what is not there, and show an auditor no control', async () => {
      const page = await open();
      await expectFailedState(page, '**/v1/workspaces?*', 'Default');
      const other = await open('/nothing');
      await other.getByText('Resource not found').waitFor();
      await expectAccessible(other);
      await expectNoControls(stage, client, '/workspaces', 'Default');
      await expectNoControls(stage, client, '/workspaces/default', '1–5 of 5 members');
      const alone = await stage.signedIn('/workspaces/default', await stage.individual());
      await alone.getByText('This workspace has no budget').waitFor();
      expect(await alone.getByRole('heading', { name: 'Members' }).count()).toBe(0);
    });
  });
}
