import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';
import { HttpClient } from '../support/harness/http-client.js';
import { expectAccessible } from './browser.js';
import type { ConsoleStage } from './stage.js';

/** Ids and names that break pages which do not take them as text. */
export const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  'مرحبا بالعالم',
  'x'.repeat(500),
  'a?b=c&d#e %2F/+\\',
];

/** Opens the dialog of a button, as whoever has no pointer does. */
export async function openByKeyboard(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
}

/** Fails when a page is wider than the screen, or when axe finds a fault on it. */
export async function expectFits(page: Page): Promise<void> {
  for (const width of [400, 2_000]) {
    await page.setViewportSize({ width, height: 900 });
    expect(await page.evaluate('document.documentElement.scrollWidth')).toBe(width);
  }
  await expectAccessible(page);
}

/** Fails unless a page says that a read failed, and shows it when it is tried again. */
export async function expectFailedState(page: Page, reads: string, shown: string): Promise<void> {
  await page.route(reads, (route) =>
    route.fulfill({
      status: 503,
      headers: { 'Retry-After': '1' },
      json: {
        error: { code: 503, message: 'It failed', metadata: { reason: 'unavailable' } },
        service_metadata: { request_id: 'request-1' },
      },
    }),
  );
  await page.reload();
  const alert = page.getByRole('alert').filter({ hasText: 'It failed' }).first();
  expect(await alert.textContent()).toMatch(/try again in 1 s.*request-1/);
  await expectAccessible(page);
  await page.unroute(reads);
  await alert.getByRole('button', { name: 'Try again' }).click();
  await page.getByText(shown).first().waitFor();
}

/** Opens a page with a key of the role `auditor`, and fails when a control changes something. */
export async function expectNoControls(
  stage: ConsoleStage,
  client: HttpClient,
  path: string,
  shown: string,
): Promise<void> {
  const { body } = await client.post<{ readonly key: string }>('/v1/management-keys', {
    role: 'auditor',
  });
  const page = await stage.signedIn(path, body.key);
  await page.getByText(shown).first().waitFor();
  const names = await page.getByRole('main').getByRole('button').allTextContents();
  expect(names.filter((name) => !/^(Filter|Find|First|Previous|Next|Last)$/.test(name))).toEqual(
    [],
  );
  await expectAccessible(page);
}

/** Opens an organization of its own for the tests of a page. */
export async function openOrganization(
  stage: ConsoleStage,
): Promise<{ readonly key: string; readonly client: HttpClient }> {
  const key = await stage.openAccount('organization');
  return { key, client: new HttpClient(stage.service.address, key) };
}
