import type { Page } from 'playwright-core';
import type { HttpClient } from '../support/harness/http-client.js';
import type { ServiceProcess } from '../support/harness/service-process.js';
import type { Chromium } from './browser.js';

/** The service and the Chromium that all tests of the console share. */
export interface ConsoleStage {
  /** The service, whose first account is an organization. It is there while tests run. */
  readonly service: ServiceProcess;
  /** A client with the first account's management key. */
  readonly client: HttpClient;
  readonly chromium: Chromium;
  /** Opens another account. @returns its management key, of the role `admin`. */
  openAccount(kind: 'organization' | 'individual', name?: string): Promise<string>;
  /** The management key of an individual account in which nothing ever changes. */
  individual(): Promise<string>;
  /** Opens a page of the console, such as `/keys`, signed in. Default: with the first key. */
  signedIn(path: string, key?: string): Promise<Page>;
}

/** Signs in on a page that asks for a key. */
export async function signIn(page: Page, key: string): Promise<void> {
  await page.getByLabel('Management key').fill(key);
  await page.getByRole('button', { name: 'Sign in' }).click();
}
