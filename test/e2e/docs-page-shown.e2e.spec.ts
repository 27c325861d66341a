import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, expect, it } from '@jest/globals';
import { type BrowserContext, chromium, type Page } from 'playwright-core';
import { createKey } from '../harness/api-keys.js';
import { installed } from '../harness/installed.js';
import { onlyWhereInstalled } from '../harness/only-on.js';
import { runningApp } from '../harness/running-app.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

const WITHIN_MS = 60_000;
/** Only the page itself may use the network. */
const FLAGS = [
  ...['--no-sandbox', '--disable-gpu', '--disable-quic', '--no-first-run'],
  ...['--disable-background-networking', '--disable-component-update', '--disable-sync'],
];
/** The lowest contrast of text that WCAG 2.2 (AA) allows. */
const CONTRAST = 4.5;

const BACKGROUND = 'getComputedStyle(document.body).backgroundColor';

/**
 * Gives the visible texts of the page, each with its colour and the colour behind it. The function runs in the page.
 */
const SEEN_TEXTS = `
  const behind = (element) => {
    if (!element) return 'rgb(255, 255, 255)';
    const { backgroundColor } = getComputedStyle(element);
    return backgroundColor === 'rgba(0, 0, 0, 0)' ? behind(element.parentElement) : backgroundColor;
  };
  [...document.querySelectorAll('body *')].flatMap((element) => {
    const own = [...element.childNodes].filter(({ nodeType }) => nodeType === Node.TEXT_NODE);
    const text = own.map(({ textContent }) => textContent.trim()).join('');
    if (text === '' || !element.checkVisibility({ visibilityProperty: true })) return [];
    return [{ text, color: getComputedStyle(element).color, behind: behind(element) }];
  });
`;

onlyWhereInstalled('chromium')('the page of the API in a browser', () => {
  const service = runningApp();
  const profile = makeTempDirectory();
  let browser: BrowserContext;
  let page: Page;
  let complaints: string[];

  beforeAll(async () => {
    browser = await chromium.launchPersistentContext(profile.path, {
      executablePath: installed('chromium') ?? '',
      chromiumSandbox: false,
      args: FLAGS,
      timeout: WITHIN_MS,
    });
    browser.setDefaultTimeout(WITHIN_MS);
  }, WITHIN_MS);

  afterAll(async () => {
    await browser.close();
    profile.remove();
  });

  beforeEach(async () => {
    page = await browser.newPage();
    complaints = [];
    page.on('console', (message) => {
      if (['error', 'warning'].includes(message.type())) complaints.push(message.text());
    });
    page.on('pageerror', ({ message }) => complaints.push(message));
    page.on('request', (request) => {
      if (!request.url().startsWith(service.address)) complaints.push(request.url());
    });
  });

  afterEach(async () => {
    await page.close();
  });

  async function open(colorScheme: 'light' | 'dark' = 'light'): Promise<void> {
    await page.emulateMedia({ colorScheme });
    await page.goto(`${service.address}/docs`);
    await page.locator('.opblock').first().waitFor();
  }

  /** Sends the operation with this name in the list of operations. @returns the status that the page shows. */
  async function send(operation: string): Promise<string> {
    await page.locator('#contents').getByRole('link', { name: operation }).click();
    await page.locator('.opblock.is-open .execute').click();
    const status = page.locator('.live-responses-table tbody .response-col_status').first();
    return (await status.innerText()).trim();
  }

  it(
    'has our name and nobody else’s, and shows every operation once',
    async () => {
      await open();
      expect(await page.title()).toBe('Keyledger API');
      expect(await page.getByRole('heading', { level: 1 }).innerText()).toMatch(/^Keyledger API/);
      expect(await page.locator('body').innerText()).not.toMatch(/swagger|smartbear/i);
      expect(await page.getByRole('button', { name: 'Authorize', exact: true }).count()).toBe(0);
      const listed = await page.locator('#contents a').count();
      expect(listed).toBeGreaterThan(20);
      expect(await page.locator('.opblock').count()).toBe(listed);
      expect(await page.locator('.opblock-summary-path').allInnerTexts()).not.toContainEqual(
        expect.stringContaining('external-users'),
      );
      expect(await page.locator('#licence').innerText()).toContain('UNLICENSED');
      expect(complaints).toEqual([]);
    },
    WITHIN_MS,
  );

  it(
    'sends requests with the key of its field, and without one after it is emptied',
    async () => {
      const { data } = await createKey(service.client, { name: 'seen in the page' });
      await open();
      const field = page.getByLabel('Key', { exact: true });
      await field.fill(service.managementKey);
      expect(await send('List API keys')).toBe('200');
      expect(await page.locator('.live-responses-table').innerText()).toContain(data.hash);
      expect(complaints).toEqual([]);
      await field.fill('');
      await page.locator('.opblock.is-open .execute').click();
      await page.locator('.live-responses-table', { hasText: 'authentication-missing' }).waitFor();
    },
    2 * WITHIN_MS,
  );

  it.each(['light', 'dark'] as const)(
    'can be read in %s, which it takes from the system',
    async (scheme) => {
      await open(scheme);
      await page.locator('#contents a').first().click();
      await page.locator('.opblock.is-open .execute').waitFor();
      const pictures = process.env.DOCS_PAGE_PICTURES;
      if (pictures) await page.screenshot({ path: join(pictures, `${scheme}.png`) });
      const background = await page.evaluate<string>(BACKGROUND);
      const [red = 0] = numbersOf(background);
      expect(red < 128).toBe(scheme === 'dark');
      const texts = await page.evaluate<SeenText[]>(SEEN_TEXTS);
      expect(texts.length).toBeGreaterThan(50);
      const faint = texts.filter(({ color, behind }) => contrast(color, behind) < CONTRAST);
      expect(faint).toEqual([]);
    },
    WITHIN_MS,
  );
});

interface SeenText {
  readonly text: string;
  readonly color: string;
  readonly behind: string;
}

function numbersOf(color: string): number[] {
  return (color.match(/[\d.]+/g) ?? []).map(Number);
}

/** Gives the contrast of two colours, from 1 to 21, as WCAG defines it. */
function contrast(one: string, other: string): number {
  const [darker = 0, lighter = 0] = [luminance(one), luminance(other)].sort((a, b) => a - b);
  return (lighter + 0.05) / (darker + 0.05);
}

function luminance(color: string): number {
  const [red = 0, green = 0, blue = 0] = numbersOf(color).map((value) => {
    const part = value / 255;
    return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
  });
  return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
}
