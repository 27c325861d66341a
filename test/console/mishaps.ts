import { beforeAll, describe, expect, it } from '@jest/globals';
import type { Page, Route } from 'playwright-core';
import { createKey, type CreatedKey } from '../support/harness/api-keys.js';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';
import { reportUsage } from '../support/harness/report-usage.js';
import { expectFits, openOrganization } from './page-checks.js';
import type { ConsoleStage } from './stage.js';

const FAILED = { status: 503, json: { error: { message: 'It failed' } } };
const REFUSED = { status: 401, json: { error: { message: 'Invalid API key' } } };
const PAGE_OF_PROXY = { contentType: 'text/html', body: '<h1>Sign on</h1>' };

/** Slow lines, lost answers, answers of others, and names that look like something else. */
export function mishaps(stage: ConsoleStage): void {
  describe('when something goes wrong', () => {
    let key: string;
    let client: HttpClient;
    let batch: CreatedKey;
    let search: CreatedKey;

    beforeAll(async () => {
      ({ key, client } = await openOrganization(stage));
      batch = await createKey(client, { name: 'checkout-batch' });
      search = await createKey(client, { name: 'team-search' });
    });

    const pageOf = ({ data }: CreatedKey): string => `/keys/${data.hash}`;
    const button = (page: Page, name: string) =>
      page.getByRole('button', { name, exact: true }).click();
    const heading = (page: Page, name: string) => page.getByRole('heading', { name }).waitFor();
    /** Answers requests of a method so, until it is called. */
    async function spoil(
      page: Page,
      method: string,
      address: string,
      handler: (route: Route) => Promise<void>,
    ): Promise<() => Promise<void>> {
      await page.route(address, (route) =>
        route.request().method() === method ? handler(route) : route.fallback(),
      );
      return () => page.unroute(address);
    }

    it('a string that is shown once stays when Escape is pressed again and again', async () => {
      const page = await stage.signedIn(pageOf(batch), key);
      let questions = 0;
      page.on('dialog', (dialog) => {
        void dialog.dismiss().then(() => (questions += 1));
      });
      await button(page, 'Rotate');
      await button(page, 'Make a new string');
      await page.getByLabel('Key string').waitFor();
      for (let pressed = 1; pressed <= 4; pressed += 1) {
        await page.keyboard.press('Escape');
        // A key that is pressed while a question is open goes to the question.
        await eventually(`question ${pressed}`, () => questions >= pressed);
      }
      await page.getByLabel('Key string').waitFor();
    });

    it('a string that is about to come is not lost by going back', async () => {
      const page = await stage.signedIn(pageOf(search), key);
      await page.evaluate(`location.hash = '#${pageOf(batch)}'`);
      await heading(page, 'checkout-batch');
      let answer: (() => void) | undefined;
      await spoil(page, 'POST', '**/rotate', async (route) => {
        await new Promise<void>((resolve) => (answer = resolve));
        await route.continue();
      });
      let questions = 0;
      page.on('dialog', (dialog) => void dialog.dismiss().then(() => (questions += 1)));
      await button(page, 'Rotate');
      await button(page, 'Make a new string');
      const goOn = await eventually('the question of the page', () => answer);
      await page.evaluate('history.back()');
      await eventually('a question', () => questions === 1);
      goOn();
      await page.getByLabel('Key string').waitFor();
      await button(page, 'I have stored it');
      await page.evaluate('history.back()');
      await heading(page, 'team-search');
    });

    it('a dialog about a key does not stay for the next key', async () => {
      const page = await stage.signedIn(pageOf(batch), key);
      await page.evaluate(`location.hash = '#${pageOf(search)}'`);
      await heading(page, 'team-search');
      await button(page, 'Edit');
      await page.getByRole('dialog').waitFor();
      await page.goBack();
      await heading(page, 'checkout-batch');
      expect(await page.getByRole('dialog').count()).toBe(0);
    });

    it('a change of which a part was made is shown', async () => {
      const page = await stage.signedIn(pageOf(search), key);
      await button(page, 'Edit');
      await page.getByLabel('Name', { exact: true }).fill('team-search-eu');
      await page.getByLabel('Expires', { exact: true }).fill('20266-01-01T00:00');
      await button(page, 'Save');
      await page.locator('small').getByText('must be').waitFor();
      await button(page, 'Cancel');
      await heading(page, 'team-search-eu');
    });

    it('a creation whose answer is lost is said to be possible, and shown', async () => {
      const page = await stage.signedIn('/keys', key);
      await button(page, 'Create a key');
      await page.getByLabel('Name').fill('nightly-report');
      await spoil(page, 'POST', '**/v1/keys', async (route) => {
        await route.fetch();
        await route.abort();
      });
      await button(page, 'Create the key');
      await page.getByText('may have been done all the same').waitFor();
      await button(page, 'Cancel');
      await page.getByRole('link', { name: 'nightly-report' }).waitFor();
    });

    it('a change that is stored without its usage is not said to have failed, and is shown', async () => {
      const page = await stage.signedIn(pageOf(batch), key);
      await spoil(page, 'PATCH', `**/v1${pageOf(batch)}`, async (route) => {
        await route.fetch();
        const metadata = { reason: 'stored-usage-unknown' };
        await route.fulfill({ status: 503, json: { error: { message: 'It is', metadata } } });
      });
      await button(page, 'Disable');
      const dialog = page.getByRole('dialog', { name: 'Disable: this is stored' });
      expect(await dialog.getByRole('alert').textContent()).not.toContain('try again');
      await button(page, 'Close');
      await page.unroute(`**/v1${pageOf(batch)}`);
      await button(page, 'Enable');
      await page.getByRole('button', { name: 'Disable' }).waitFor();
    });

    it('a key stays over an outage, and is forgotten when it is refused', async () => {
      const page = await stage.signedIn('/keys', key);
      const mend = await spoil(page, 'GET', '**/v1/key', (route) => route.fulfill(FAILED));
      await page.reload();
      await page.getByText('It failed').waitFor();
      expect(await page.title()).toBe('Sign in · Keyledger');
      await mend();
      await button(page, 'Try again');
      await page.getByRole('link', { name: 'checkout-batch' }).waitFor();
      await spoil(page, 'GET', '**/v1/key', (route) => route.fulfill(REFUSED));
      await page.reload();
      await page.getByText('Invalid API key').waitFor();
      expect(await page.evaluate('sessionStorage.length')).toBe(0);
    });

    it('a page of a proxy and an answer of nothing are no answers', async () => {
      const page = await stage.signedIn('/activity', key);
      await page.getByText('Nothing was used in these days').waitFor();
      await spoil(page, 'GET', '**/v1/activity*', (route) => route.fulfill(PAGE_OF_PROXY));
      await button(page, 'Download NDJSON');
      await page.getByRole('dialog').getByText('not one of Keyledger').waitFor();
      await page.keyboard.press('Escape');
      await spoil(page, 'GET', '**/v1/workspaces*', (route) => route.fulfill({ body: '' }));
      await page.getByRole('link', { name: 'Workspaces' }).click();
      await page.getByText('not one of Keyledger').waitFor();
      await page.getByRole('link', { name: 'Keys' }).click();
      await button(page, 'Create a key');
      await page.getByRole('dialog').getByText('Its id').waitFor();
    });

    it('a name that looks like a time is a name', async () => {
      const name = '9999-99-99T99:99:99Z';
      await createKey(client, { name });
      const page = await stage.signedIn('/audit', key);
      await page
        .getByRole('row')
        .filter({ hasText: `name ${name}` })
        .waitFor();
    });

    it('the last day that there is ends a chart', async () => {
      const page = await stage.signedIn('/activity?to=9999-12-31', key);
      await page.getByText('highest day 0.00').waitFor();
    });

    it('a name of which nothing is seen, and one that is very long, are shown', async () => {
      const account = await stage.openAccount('organization', 'x'.repeat(512));
      await createKey(new HttpClient(stage.service.address, account), { name: ' ' });
      const page = await stage.signedIn('/keys', account);
      await page.getByRole('link', { name: '“ ”' }).click();
      await page.getByRole('button', { name: 'Delete' }).click();
      await expectFits(page);
    });

    it('nothing is said of an id before the answer, and an id that is like a key is found', async () => {
      await client.post('/v1/workspaces', { name: 'Risk', slug: 'risk-v1-eu' });
      const page = await stage.signedIn('/find?text=nothing', key);
      await page.getByText('Nothing has the id nothing').waitFor();
      let answer: (() => void) | undefined;
      await spoil(page, 'GET', '**/v1/end-users?*', async (route) => {
        await new Promise<void>((resolve) => (answer = resolve));
        await route.continue();
      });
      await page.getByRole('searchbox').fill('risk-v1-eu');
      await page.keyboard.press('Enter');
      await page.getByText('Loading…').waitFor();
      expect(await page.getByText('Nothing has the id').count()).toBe(0);
      const goOn = await eventually('the question of the page', () => answer);
      goOn();
      await heading(page, 'Risk');
    });

    it('what is out of date is said to be: nothing found, and a file', async () => {
      const page = await stage.signedIn('/activity', key);
      const late = async (route: Route): Promise<void> => {
        const response = await route.fetch();
        const headers = { ...response.headers(), 'keyledger-stale': 'true' };
        await route.fulfill({ response, headers });
      };
      for (const list of ['activity', 'end-users']) {
        await spoil(page, 'GET', `**/v1/${list}?*`, late);
      }
      const download = page.waitForEvent('download');
      await button(page, 'Download CSV');
      expect((await download).suggestedFilename()).toMatch(/-may-be-out-of-date\.csv$/);
      await page.getByRole('searchbox').fill('somebody new');
      await page.keyboard.press('Enter');
      await page.getByText('Nothing has the id somebody new').waitFor();
      await page.getByText('recent changes may be missing').waitFor();
    });

    it('a key string is sent in no address', async () => {
      const page = await stage.signedIn('/team', key);
      const addresses: string[] = [];
      page.on('request', (request) => addresses.push(request.url()));
      await button(page, 'Add a member');
      await page.getByLabel('User').fill(key);
      await button(page, 'Add');
      await page.getByText('No address may hold a key string').waitFor();
      expect(addresses.join()).not.toContain(key.slice(6));
    });

    it('a limit whose usage is not known is not said to be left', async () => {
      const page = await stage.signedIn('/check', key);
      const { data } = await createKey(client, { name: 'old', limit: 5 });
      await spoil(page, 'POST', '**/v1/keys/verify', async (route) => {
        const answer = await route.fetch();
        const json = (await answer.json()) as { data: { key: object } };
        Object.assign(json.data.key, { limit_remaining: null });
        await route.fulfill({ json });
      });
      await page.getByLabel('Key string or hash').fill(data.hash);
      await button(page, 'Check');
      await page.getByText('5.00', { exact: true }).waitFor();
    });

    it('a key that was deleted has no name any more', async () => {
      const { data } = await createKey(client, { name: 'short-lived' });
      await reportUsage(client, { key_hash: data.hash, cost: '1' });
      const page = await stage.signedIn('/activity', key);
      await page.getByRole('link', { name: 'short-lived' }).click();
      await button(page, 'Delete');
      await button(page, 'Delete the key');
      await heading(page, 'Keys');
      await page.getByRole('link', { name: 'Activity' }).click();
      await page.getByRole('link', { name: data.hash }).waitFor();
    });
  });
}
