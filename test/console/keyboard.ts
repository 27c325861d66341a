import { describe, expect, it } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { createKey, type OneKey } from '../support/harness/api-keys.js';
import { eventually } from '../support/harness/eventually.js';
import { openByKeyboard, openOrganization } from './page-checks.js';
import type { ConsoleStage } from './stage.js';

const MOST_TABS = 120;

/** Waits for an element, and presses Tab until it has the focus. */
async function tabTo(page: Page, wanted: Locator): Promise<void> {
  await wanted.waitFor();
  const focused = wanted.and(page.locator(':focus'));
  for (let pressed = 0; pressed < MOST_TABS; pressed += 1) {
    if ((await focused.count()) > 0) return;
    await page.keyboard.press('Tab');
  }
  throw new Error(`no Tab leads to ${String(wanted)}`);
}

/** A key from its creation to its deletion, without a pointer, and where the focus goes. */
export function keyboardAlone(stage: ConsoleStage): void {
  describe('the keyboard alone', () => {
    it('creates, edits, disables, rotates and deletes a key', async () => {
      const { key, client } = await openOrganization(stage);
      await createKey(client, { name: 'another' });
      const page = await stage.chromium.open();
      const press = async (name: string): Promise<void> => {
        const button = page.getByRole('button', { name, exact: true });
        await tabTo(page, button.or(page.getByRole('link', { name, exact: true })));
        await page.keyboard.press('Enter');
      };
      const type = async (name: string, text: string): Promise<void> => {
        await tabTo(page, page.getByLabel(name, { exact: true }));
        await page.keyboard.press('Control+A');
        await page.keyboard.type(text);
      };
      const heading = (name: string) => page.getByRole('heading', { name, exact: true }).waitFor();
      const dialog = (state: 'visible' | 'detached') => page.getByRole('dialog').waitFor({ state });

      await page.goto(`${stage.service.address}/console/`);
      await type('Management key', key);
      await page.keyboard.press('Enter');
      await heading('Overview');
      await press('Keys');
      await page.getByText('1–1 of 1 keys').waitFor();
      await press('Create a key');
      await dialog('visible');
      await type('Name', 'checkout-batch');
      await type('Limit, USD', '5');
      await page.keyboard.press('Enter');
      const string = await page.getByLabel('Key string').inputValue();
      await press('I have stored it');
      await dialog('detached');
      await press('checkout-batch');
      await heading('checkout-batch');

      await press('Edit');
      await dialog('visible');
      await type('Name', 'team-search');
      await page.keyboard.press('Enter');
      await dialog('detached');
      await heading('team-search');
      await press('Disable');
      await press('Enable');
      await press('Rotate');
      await dialog('visible');
      await press('Make a new string');
      const rotated = await page.getByLabel('Key string').inputValue();
      await press('I have stored it');
      await dialog('detached');
      const { data } = (await client.as(rotated).get<OneKey>('/v1/key')).body;
      expect(data).toMatchObject({ label: 'team-search', limit: 5 });
      await press('Delete');
      await dialog('visible');
      await press('Delete the key');
      await heading('Keys');
      await press('Sign out');
      await page.getByLabel('Management key').waitFor();
      for (const made of [string, rotated]) {
        await eventually('the string opens nothing', async () => {
          return (await client.as(made).get('/v1/key')).status === 401;
        });
      }
    });

    it('goes on from where it was when a form, or a row with its button, is made anew', async () => {
      const { key, client } = await openOrganization(stage);
      await client.put('/v1/members/eve', undefined);
      const page = await stage.signedIn('/end-users', key);
      const hasFocus = (one: Locator) => one.and(page.locator(':focus')).waitFor();
      await tabTo(page, page.getByLabel('With inactive end users'));
      await page.keyboard.press('Space');
      await page.keyboard.press('Enter');
      await page.getByText('No end user is registered yet').waitFor();
      await hasFocus(page.getByRole('button', { name: 'Filter' }));
      await page.getByRole('link', { name: 'Team' }).click();
      await openByKeyboard(page, 'Remove eve');
      await page.getByRole('dialog').getByRole('button', { name: 'Remove' }).press('Enter');
      await hasFocus(page.getByRole('heading', { name: 'Members' }));
    });
  });
}
