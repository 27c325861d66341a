import { expect } from '@jest/globals';
import type { Locator, Page } from 'playwright-core';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';
import { expectAccessible } from './accessibility.js';
import { WITHIN_MS } from './browser.js';
import type { ConsoleStage } from './stage.js';

/** Ids and names that break pages which do not take them as text. */
export const HOSTILE = [
  '<img src=x onerror="document.title=1">',
  'مرحبا بالعالم',
  'x'.repeat(500),
  'a?b=c&d#e %2F/+\\',
];

/** Waits until there are so many of something. */
export async function expectCount(what: Locator, count: number): Promise<void> {
  await eventually(
    `${count} of ${String(what)}`,
    async () => (await what.count()) === count,
    WITHIN_MS,
  );
}

/** Waits until a field has a value, which may come after the field itself. */
export async function expectValue(field: Locator, value: string): Promise<void> {
  await eventually(
    `${value} in ${String(field)}`,
    async () => (await field.inputValue()) === value,
    WITHIN_MS,
  );
}

/** Opens the dialog of a button, as whoever has no pointer does. */
export async function openByKeyboard(page: Page, name: string): Promise<void> {
  await page.getByRole('button', { name, exact: true }).focus();
  await page.keyboard.press('Enter');
  await page.getByRole('dialog').waitFor();
}

/** Fails when a page is wider than the screen, or when axe finds a fault on it. */
export async function expectFits(page: Page): Promise<void> {
  for (const width of [400, 2_000]) {
    await page.setViewportSize({ width, height: 900 });
    const scrolled = 'document.documentElement.scrollWidth';
    await eventually(
      `a page of ${width} px`,
      async () => (await page.evaluate(scrolled)) === width,
      WITHIN_MS,
    );
  }
  await expectAccessible(page);
}

/** An answer that says why the service fails. */
export function failing(reason = 'unavailable', seconds = 1, status = 503) {
  return {
    status,
    headers: { 'Retry-After': String(seconds) },
    json: {
      error: { code: status, message: 'It failed', metadata: { reason } },
      service_metadata: { request_id: 'request-1' },
    },
  };
}

/** Fails unless a page says that a read failed, and shows it when it is tried again. */
export async function expectFailedState(page: Page, reads: string, shown: string): Promise<void> {
  await page.route(reads, (route) => route.fulfill(failing()));
  await page.reload();
  const alert = page.getByRole('alert').filter({ hasText: 'It failed' }).first();
  expect(await alert.textContent()).toMatch(/try again in 1 s.*request-1/);
  // Another read that fails may come to stand before this one.
  await expectCount(page.getByText('Loading…'), 0);
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
  await expectCount(page.getByText('Loading…'), 0);
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
