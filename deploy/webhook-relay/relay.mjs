// Reads the feed of events of an account, and posts each event, in order, as a signed webhook.
// docs/guides/webhooks.md has the settings.
import fs from 'node:fs';
import { dirname } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { Webhook } from 'standardwebhooks';

const WAIT_S = 20;
const FEED_SILENCE_MS = 60_000;
const DELIVERY_MS = 15_000;
const SHORTEST_PAUSE_S = 1;
const LONGEST_PAUSE_S = 60;
/** The answers of the feed that no repetition changes. */
const FINAL = [400, 401, 403];
const FILTERS = ['action', 'actor', 'target_type', 'target_id'];
const UUID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

const say = (line) => console.log(`${new Date().toISOString()} ${line}`);

function end(...lines) {
  for (const line of lines) console.error(`relay: ${line}`);
  process.exit(1);
}

/** Returns what a function returns; undefined when it throws. */
function attempt(work) {
  try {
    return work();
  } catch {
    return undefined;
  }
}

/** The settings: what each must be, and a function that reads it, or returns undefined. */
const SETTINGS = {
  API_URL: [
    'the address of the service, without /v1',
    (text) => (/\/v1\/*$|[?#]/.test(text) ? undefined : addressIn(text)?.replace(/\/+$/, '')),
  ],
  API_KEY: [
    'a management key with the role auditor',
    (text) => (/^[\x21-\x7e]+$/.test(text) ? text : undefined),
  ],
  WEBHOOK_URL: ['the address that gets the events', addressIn],
  WEBHOOK_SECRET: ['whsec_ and 24 to 64 bytes in base64', signerWith],
  CURSOR_FILE: [
    'a file, in a directory that can be written',
    (file) => attempt(() => fs.accessSync(dirname(file), fs.constants.W_OK) ?? file),
  ],
  FROM: ['latest or beginning', (text) => ['latest', 'beginning'].find((one) => one === text)],
  SKIP: ['the id of an event', (text) => (UUID.test(text) ? text : undefined)],
  FILTER: [`a query with ${FILTERS.join(', ')}`, filterIn],
};
const FROM_FILES = ['API_KEY', 'WEBHOOK_SECRET'];
const PRESETS = { FROM: 'latest', SKIP: null, FILTER: new URLSearchParams() };

/** Ends the program with a line for each setting that is missing or wrong. */
function readSettings(environment) {
  const faults = [];
  const settings = { ...PRESETS };
  for (const [name, [says, parse]] of Object.entries(SETTINGS)) {
    const file = FROM_FILES.includes(name) ? environment[`${name}_FILE`] : undefined;
    const text = file ? attempt(() => fs.readFileSync(file, 'utf8').trim()) : environment[name];
    const value = text ? parse(text) : undefined;
    if (value !== undefined) settings[name] = value;
    else if (text || file)
      faults.push(`${name}${file ? '_FILE' : ''} is wrong: it must be ${says}`);
    else if (!(name in PRESETS)) faults.push(`${name} is missing: ${says}`);
    if (file && environment[name]) faults.push(`${name} and ${name}_FILE are both given`);
  }
  if (settings.CURSOR_FILE !== undefined && fs.existsSync(settings.CURSOR_FILE)) {
    settings.cursor = attempt(() => fs.readFileSync(settings.CURSOR_FILE, 'utf8').trim());
    if (!settings.cursor) faults.push('CURSOR_FILE is wrong: the file has no cursor; remove it');
  }
  if (faults.length > 0) end(...faults);
  return settings;
}

function addressIn(text) {
  const url = attempt(() => new URL(text));
  // `fetch` refuses an address with a user or a password.
  return /^https?:$/.test(url?.protocol) && !url.username && !url.password ? text : undefined;
}

function signerWith(secret) {
  const bytes = Buffer.from(secret.slice('whsec_'.length), 'base64');
  const isWhole = secret === `whsec_${bytes.toString('base64')}`;
  return isWhole && bytes.length >= 24 && bytes.length <= 64 ? new Webhook(secret) : undefined;
}

function filterIn(text) {
  const filter = new URLSearchParams(text);
  return [...filter.keys()].every((name) => FILTERS.includes(name)) ? filter : undefined;
}

/**
 * Sends a request, and waits for the whole answer.
 * @param withinMs the longest time without data, or for a delivery the longest time in all.
 */
async function call(url, options, withinMs, isDelivery) {
  const over = new AbortController();
  const late = () => over.abort(new Error(`no answer within ${withinMs / 1_000} s`));
  const timer = setTimeout(late, withinMs);
  try {
    const response = await fetch(url, { redirect: 'manual', signal: over.signal, ...options });
    const chunks = [];
    for await (const chunk of response.body ?? []) {
      if (isDelivery) continue;
      timer.refresh();
      chunks.push(chunk);
    }
    const retryAfterS = Number(response.headers.get('Retry-After')) || 0;
    return { status: response.status, retryAfterS, text: Buffer.concat(chunks).toString() };
  } finally {
    clearTimeout(timer);
  }
}

/** Tries again, after pauses that double, until `send` returns an answer without a failure. */
async function untilDone(what, send) {
  for (let pauseS = SHORTEST_PAUSE_S; ; pauseS = Math.min(2 * pauseS, LONGEST_PAUSE_S)) {
    const {
      failure,
      leastPauseS = 0,
      ...done
    } = await send().catch((error) => ({
      failure: error.cause?.code ?? error.message,
    }));
    if (failure === undefined) return done;
    const nextS = Math.max(pauseS, leastPauseS);
    say(`${what}: ${failure}; next try in ${nextS} s`);
    await delay(nextS * 1_000);
  }
}

function readPage({ API_URL, API_KEY, FILTER }, after) {
  const query = new URLSearchParams(FILTER);
  query.set('wait', WAIT_S);
  if (after !== undefined) query.set('after', after);
  const headers = { Authorization: `Bearer ${API_KEY}` };
  return untilDone('feed', async () => {
    const answer = await call(`${API_URL}/v1/events?${query}`, { headers }, FEED_SILENCE_MS);
    const { status, retryAfterS, text } = answer;
    if (FINAL.includes(status)) end(`the feed answers ${status}: ${text.slice(0, 500)}`);
    if (status !== 200) return { failure: `status ${status}`, leastPauseS: retryAfterS };
    const page = JSON.parse(text);
    return Array.isArray(page?.data) ? page : { failure: 'an answer that is not of the feed' };
  });
}

async function deliver({ WEBHOOK_URL, WEBHOOK_SECRET }, event) {
  const body = JSON.stringify(event);
  const what = `${event.id} ${event.action}`;
  await untilDone(what, async () => {
    const now = new Date();
    const headers = {
      'Content-Type': 'application/json',
      'webhook-id': event.id,
      'webhook-timestamp': String(Math.floor(now.getTime() / 1_000)),
      'webhook-signature': WEBHOOK_SECRET.sign(event.id, now, body),
    };
    const { status } = await call(
      WEBHOOK_URL,
      { method: 'POST', headers, body },
      DELIVERY_MS,
      true,
    );
    return status >= 200 && status < 300 ? {} : { failure: `status ${status}` };
  });
  say(`${what}: delivered`);
}

/** Replaces the cursor file as a whole, when the new one is on the disk. */
function keepCursor(file, cursor) {
  const beside = `${file}.new`;
  fs.writeFileSync(beside, `${cursor}\n`, { mode: 0o600, flush: true });
  fs.renameSync(beside, file);
}

// The first process of a container ignores signals that it does not handle.
for (const signal of ['SIGTERM', 'SIGINT']) process.on(signal, () => process.exit(0));
const settings = readSettings(process.env);
let after = settings.cursor ?? (settings.FROM === 'latest' ? 'latest' : undefined);
for (;;) {
  const begun = performance.now();
  const { data, next_cursor, has_more } = await readPage(settings, after);
  for (const event of data) {
    if (event.id === settings.SKIP) say(`${event.id} ${event.action}: skipped`);
    else await deliver(settings, event);
  }
  if (next_cursor !== after) keepCursor(settings.CURSOR_FILE, next_cursor);
  // A service that stops answers at once.
  const isHasty = data.length === 0 && !has_more && performance.now() - begun < 1_000;
  if (isHasty && after !== 'latest') await delay(SHORTEST_PAUSE_S * 1_000);
  after = next_cursor;
}
