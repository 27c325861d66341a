import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { type Browser, chromium, type Page } from 'playwright-core';
import { installed } from '../support/harness/installed.js';

const FAULT = 'forbidden by the policy: ';
const REPORT_VIOLATIONS = `document.addEventListener('securitypolicyviolation', (event) =>
  console.error('${FAULT}' + event.violatedDirective + ' ' + event.blockedURI));`;
const VIEWPORT = { width: 1_280, height: 720 };
export const WITHIN_MS = 10_000;

/** A script that lets a page begin as that of somebody who has signed in with a key. */
export function signInWith(key: string): string {
  return `sessionStorage.setItem('keyledger-key', '${key}');
    sessionStorage.setItem('keyledger-touched-at', String(Date.now()));`;
}

/** A Chromium for the tests of a file. Whatever a page does wrong fails the test that has it. */
export interface Chromium {
  /** Opens a window with nothing stored. */
  open(options?: Parameters<Browser['newPage']>[0]): Promise<Page>;
  /**
   * Opens a page of the console as somebody who has signed in. Its window may have served other
   * tests, which saves much time; the page is loaded anew.
   */
  openSignedIn(key: string, address: string): Promise<Page>;
}

/** Starts Chromium before the tests of a file. After each test its windows close or are emptied. */
export function startedChromium(): Chromium {
  let browser: Browser | undefined;
  const opened: Page[] = [];
  const signedIn: { readonly page: Page; readonly forgetKey: () => Promise<void> }[] = [];
  const idle: Page[] = [];
  const faults: string[] = [];

  beforeAll(async () => {
    browser = await chromium.launch({
      // Without the window of a browser a page takes a third of the processor time.
      executablePath: installed('chromium-headless-shell') ?? installed('chromium') ?? 'chromium',
      // Chromium refuses to run as root in its sandbox.
      chromiumSandbox: process.getuid?.() !== 0,
    });
  });

  afterEach(async () => {
    await Promise.all(opened.splice(0).map((page) => page.close()));
    for (const { page, forgetKey } of signedIn.splice(0)) {
      await forgetKey();
      await page.unrouteAll({ behavior: 'ignoreErrors' });
      for (const event of ['request', 'dialog']) await page.removeAllListeners(event, {});
      await page.goto('about:blank');
      idle.push(page);
    }
    expect(faults.splice(0)).toEqual([]);
  });

  afterAll(() => browser?.close());

  async function newPage(options?: Parameters<Browser['newPage']>[0]): Promise<Page> {
    if (!browser) throw new Error('Chromium is there only while tests run');
    const page = await browser.newPage(options);
    page.setDefaultTimeout(WITHIN_MS);
    await page.addInitScript(REPORT_VIOLATIONS);
    page.on('pageerror', (error) => faults.push(String(error)));
    page.on('console', (said) => {
      if (said.text().startsWith(FAULT)) faults.push(said.text());
    });
    return page;
  }

  return {
    async open(options) {
      const page = await newPage(options);
      opened.push(page);
      return page;
    },
    async openSignedIn(key, address) {
      const page = idle.pop() ?? (await newPage());
      const script = await page.addInitScript(signInWith(key));
      signedIn.push({ page, forgetKey: () => script.dispose() });
      await page.setViewportSize(VIEWPORT);
      await page.goto(address, { waitUntil: 'commit' });
      await page.getByRole('button', { name: 'Sign out' }).waitFor();
      return page;
    },
  };
}
