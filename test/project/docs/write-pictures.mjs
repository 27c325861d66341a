// Writes the pictures of the console in docs/pictures, of a log that is written for them.
import { execFileSync } from 'node:child_process';
import { randomBytes, randomUUID } from 'node:crypto';
import { mkdirSync } from 'node:fs';
import process from 'node:process';
import { chromium } from 'playwright-core';
import { withBuiltService } from './built-service.mjs';

const PICTURES = 'docs/pictures';
const DAY_MS = 86_400_000;
const MANAGEMENT_KEY = randomBytes(32).toString('hex');
/** What the key of the second picture cost in 30 days, in cents; the last is today's. */
const CENTS = [
  912, 1105, 1238, 1171, 1340, 488, 402, 1190, 1312, 1275, 1418, 1502, 530, 441, 1266, 1391, 1478,
  1433, 1610, 602, 498, 1405, 1522, 1587, 1544, 1730, 655, 540, 1498, 1216,
];

await withBuiltService(writePictures, { BOOTSTRAP_MANAGEMENT_KEY: MANAGEMENT_KEY });

async function writePictures(address) {
  const hash = await writeKeys(address);
  mkdirSync(PICTURES, { recursive: true });
  const browser = await chromium.launch({
    executablePath: execFileSync('sh', ['-c', 'command -v chromium'], { encoding: 'utf8' }).trim(),
    // Chromium refuses to run as root in its sandbox.
    chromiumSandbox: process.getuid?.() !== 0,
  });
  try {
    const keys = `${address}/console/#/keys`;
    await take(browser, { name: 'keys', at: keys, says: '1–7 of 7 keys', height: 570 });
    await take(browser, { name: 'key', at: `${keys}/${hash}`, says: 'as a table', height: 840 });
  } finally {
    await browser.close();
  }
}

/** Writes the keys, and what was used in the last 30 days. @returns the hash of one of them. */
async function writeKeys(address) {
  const call = async (method, path, body) => {
    const answer = await globalThis.fetch(address + path, {
      method,
      headers: { Authorization: `Bearer ${MANAGEMENT_KEY}`, 'Content-Type': 'application/json' },
      body: JSON.stringify(body),
    });
    if (!answer.ok) throw new Error(`${method} ${path}: ${await answer.text()}`);
    return (await answer.json()).data;
  };
  const daysFromNow = (days) => new Date(Date.now() + days * DAY_MS).toISOString();
  const workspace = async (name) =>
    (await call('POST', '/v1/workspaces', { name, slug: name.toLowerCase() })).id;
  const create = async (fields) => (await call('POST', '/v1/keys', fields)).hash;
  const used = async (key_hash, daysAgo, cost, requests) => {
    const record = { key_hash, cost, byok_cost: cost / 8, requests };
    const records = [{ ...record, occurred_at: daysFromNow(-daysAgo) }];
    await call('PUT', `/v1/usage-reports/${randomUUID()}`, { records });
  };

  const shop = await workspace('Shop');
  const search = await workspace('Search');
  await create({ name: 'staging-smoke-tests', expires_at: daysFromNow(9) });
  const reports = await create({ name: 'nightly-reports' });
  const labels = await create({ name: 'label-images', workspace_id: shop, limit: 250 });
  const reviews = await create({
    name: 'translate-reviews',
    workspace_id: shop,
    limit: 40,
    limit_reset: 'daily',
  });
  const rank = await create({ name: 'rank-offers', workspace_id: search, limit: 1_000 });
  const team = await create({
    name: 'team-search',
    workspace_id: search,
    limit: 20,
    limit_reset: 'daily',
  });
  const checkout = await create({ name: 'checkout-batch', workspace_id: shop, limit: 400 });
  await used(reports, 1, 61.4, 310);
  await used(labels, 6, 31.275, 208);
  await used(reviews, 0, 11.08, 1_204);
  await used(rank, 2, 508.9, 9_430);
  await used(team, 0, 20, 2_611);
  for (const [day, cents] of CENTS.entries()) {
    await used(checkout, CENTS.length - 1 - day, cents / 100, Math.round(cents / 3));
  }
  return checkout;
}

/** Signs in on a page, and writes a picture of its top once the page says something. */
async function take(browser, { name, at, says, height }) {
  const page = await browser.newPage({
    viewport: { width: 1_100, height },
    colorScheme: 'light',
    locale: 'en-US',
    timezoneId: 'UTC',
  });
  await page.goto(at);
  await page.getByLabel('Management key').fill(MANAGEMENT_KEY);
  await page.getByRole('button', { name: 'Sign in' }).click();
  await page.getByText(says).first().waitFor({ timeout: 10_000 });
  const path = `${PICTURES}/${name}.png`;
  await page.screenshot({ path });
  process.stdout.write(`${path} is written\n`);
}
