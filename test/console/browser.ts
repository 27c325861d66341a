import { readFileSync } from 'node:fs';
import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Browser, type BrowserContext, chromium, type Page } from 'playwright-core';
import { installed } from '../support/harness/installed.js';

/** The standards that axe examines pages by. */
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  reportFault(event.violatedDirective + ' of the policy forbids ' + event.blockedURI));`;
const WITHIN_MS = 10_000;

/** A Chromium for the tests of a file. */
export interface Chromium {
  /** Opens a tab with nothing stored. Whatever it does wrong fails the test that opened it. */
  open(options?: Parameters<Browser['newContext']>[0]): Promise<Page>;
}

/** Starts Chromium before the tests of a file. After each test its tabs are closed. */
export function startedChromium(): Chromium {
  let browser: Browser | undefined;
  const contexts: BrowserContext[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      executablePath: installed('chromium') ?? 'chromium',
      // Chromium refuses to run as root in its sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
    });
  });

  afterEach(async () => {
    await Promise.all(contexts.splice(0).map((context) => context.close()));
    expect(faults.splice(0)).toEqual([]);
  });

  afterAll(() => browser?.close());

  return {
    async open(options = {}) {
      if (!browser) throw new Error('Chromium is there only while tests run');
      const context = await browser.newContext(options);
      contexts.push(context);
      context.setDefaultTimeout(WITHIN_MS);
      await context.exposeFunction('reportFault', (fault: string) => faults.push(fault));
      await context.addInitScript(REPORT_VIOLATIONS);
      const page = await context.newPage();
      page.on('pageerror', (error) => faults.push(String(error)));
      return page;
    },
  };
}

/** Fails unless axe finds no fault on a page, in light and in dark. */
export async function expectAccessible(page: Page): Promise<void> {
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    await page.evaluate(AXE);
    const options = JSON.stringify({ runOnly: { type: 'tag', values: STANDARDS } });
    const found: unknown = await page.evaluate(`axe.run(document, ${options}).then(
      ({ violations }) => violations.flatMap(({ id, nodes }) =>
        nodes.map(({ target, failureSummary }) => id + ' ' + target + ' ' + failureSummary)))`);
    expect({ colorScheme, found }).toEqual({ colorScheme, found: [] });
  }
}
