import { randomBytes } from 'node:crypto';
import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { cpSync, existsSync, readFileSync, symlinkSync, writeFileSync } from 'node:fs';
import type { IncomingHttpHeaders, ServerResponse } from 'node:http';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { Webhook } from 'standardwebhooks';
import type { AuditEvent } from '../../../src/features/audit-trail/domain/audit-event.js';
import { hashKeyString } from '../../../src/kernel/key-string.js';
import { latestCursor, readFeed } from '../../support/harness/event-feed.js';
import { eventually } from '../../support/harness/eventually.js';
import { madeBy } from '../../support/harness/made-by.js';
import { makeManagementKey } from '../../support/harness/management-keys.js';
import { accountOf, accountOfEach, runningApp } from '../../support/harness/running-app.js';
import { directoryOfEach } from '../../support/harness/stage.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { freePort } from '../../support/backends/server-process.js';
import { commandsOf } from '../docs/commands.js';
import { blocksOf, read, tableRows } from '../docs/markdown.js';
import { startLocal } from './api-behind.js';
import { type RunningRelay, startRelay } from './running-relay.js';

const WITHIN_MS = 20_000;
const SECRET = `whsec_${randomBytes(32).toString('base64')}`;

/** What the receiver answers to a request. */
type Reply = (response: ServerResponse) => unknown;

interface Received {
  readonly headers: IncomingHttpHeaders;
  readonly body: string;
}

/** A receiver of webhooks. It answers 204 when no other reply is left. */
async function startReceiver(...replies: Reply[]) {
  const received: Received[] = [];
  const server = await startLocal(async (request, response) => {
    received.push({ headers: request.headers, body: await text(request) });
    const reply = replies.shift() ?? ((one) => one.writeHead(204).end());
    reply(response);
  });
  return { ...server, received, replies };
}

const service = runningApp();
const relays: RunningRelay[] = [];

async function stopRelays(): Promise<void> {
  for (const relay of relays.splice(0)) await relay.stop('SIGKILL');
}

afterEach(stopRelays);

function start(settings: Readonly<Record<string, string>>): RunningRelay {
  const relay = startRelay(settings);
  relays.push(relay);
  return relay;
}

describe('the webhook relay', () => {
  // An answer takes 15 s to be late, and other tests run meanwhile.
  let endless: Awaited<ReturnType<typeof startReceiver>>;
  let late: RunningRelay;
  const lateDirectory = madeBy(beforeAll, async () => makeTempDirectory());

  beforeAll(async () => {
    endless = await startReceiver((response) => {
      response.writeHead(200);
      const dripping = setInterval(() => response.write('x'), 500);
      response.once('close', () => clearInterval(dripping));
    });
    late = startRelay({
      API_URL: service.address,
      API_KEY: service.managementKey,
      WEBHOOK_URL: endless.address,
      WEBHOOK_SECRET: SECRET,
      CURSOR_FILE: join(lateDirectory.path, 'cursor'),
      FROM: 'beginning',
    });
  });

  afterAll(async () => {
    await late.stop('SIGKILL');
    await endless.stop();
    lateDirectory.remove();
  });

  const account = accountOfEach(service);
  // Before the directory goes.
  afterEach(stopRelays);
  const directory = directoryOfEach();
  const receiver = madeBy(beforeEach, () => startReceiver());
  let settings: Record<string, string>;

  beforeEach(async () => {
    settings = {
      API_URL: service.address,
      API_KEY: await makeManagementKey(service, account, 'auditor'),
      WEBHOOK_URL: `${receiver.address}/hook`,
      WEBHOOK_SECRET: SECRET,
      CURSOR_FILE: join(directory.path, 'cursor'),
    };
  });

  afterEach(() => receiver.stop());

  const cursor = (): string => readFileSync(settings.CURSOR_FILE ?? '', 'utf8').trim();

  async function register(...users: string[]): Promise<void> {
    for (const user of users) await account.client.post('/v1/end-users', { user });
  }

  const ids = (): unknown[] => receiver.received.map(({ headers }) => headers['webhook-id']);

  async function untilReceived(count: number): Promise<void> {
    await eventually(`${count} requests`, () => receiver.received.length >= count, WITHIN_MS);
  }

  /** Waits until a relay that begins with the latest event has its cursor. */
  async function started(more: Readonly<Record<string, string>> = {}): Promise<RunningRelay> {
    const relay = start({ ...settings, ...more });
    await eventually('it has a cursor', () => existsSync(settings.CURSOR_FILE ?? ''), WITHIN_MS);
    return relay;
  }

  it('posts each event in order, signed by Standard Webhooks, and keeps its cursor', async () => {
    const relay = start({ ...settings, FROM: 'beginning' });
    await register('ada');
    const { data, next_cursor } = await readFeed(account.client);
    await untilReceived(data.length);
    await register('bob');
    await untilReceived(data.length + 1);
    const webhook = new Webhook(SECRET);
    const posted = receiver.received.map(({ headers, body }) => {
      expect(headers['content-type']).toBe('application/json');
      expect(headers['user-agent']).toBeDefined();
      return webhook.verify(body, headers as Record<string, string>) as AuditEvent;
    });
    const all = (await readFeed(account.client)).data;
    expect(posted).toEqual(all);
    expect(ids()).toEqual(all.map(({ id }) => id));
    await eventually('the cursor is kept', () => cursor() !== next_cursor);
    expect(cursor()).toBe(await latestCursor(account.client));
    expect(relay.lines().filter((line) => line.endsWith('delivered'))).toHaveLength(all.length);
    const printed = relay.lines().join('\n');
    for (const secret of [SECRET, SECRET.slice('whsec_'.length), settings.API_KEY ?? '']) {
      expect(printed).not.toContain(secret);
    }
  });

  it('begins with the next event, and after an end with what it has not delivered', async () => {
    const relay = await started();
    await register('ada');
    await untilReceived(1);
    expect(await relay.stop('SIGTERM')).toBe(0);
    await register('bob', 'eve');
    start({ ...settings, FROM: 'beginning' });
    await untilReceived(3);
    const events = (await readFeed(account.client, 'action=end-user.registered')).data;
    expect([...new Set(ids())]).toEqual(events.map(({ id }) => id));
  });

  it('tries again until a whole answer of 2xx, before any later event', async () => {
    receiver.replies.push(
      (response) => response.writeHead(500).end(),
      // A redirect is not followed.
      (response) => response.writeHead(307, { Location: '/elsewhere' }).end(),
      (response) => {
        response.writeHead(200, { 'Content-Length': '9' }).write('half');
        setTimeout(() => response.destroy(), 1);
      },
    );
    const relay = await started();
    await register('ada', 'bob');
    await untilReceived(5);
    const [first, second] = (await readFeed(account.client, 'action=end-user.registered')).data;
    expect(ids()).toEqual([first?.id, first?.id, first?.id, first?.id, second?.id]);
    const failures = relay.lines().filter((line) => line.includes('next try'));
    expect(failures.map((line) => /next try in (\d+) s/.exec(line)?.[1])).toEqual(['1', '2', '4']);
    expect(failures).toEqual([
      expect.stringContaining('status 500'),
      expect.stringContaining('status 307'),
      expect.any(String),
    ]);
    const times = receiver.received.map(({ headers }) => Number(headers['webhook-timestamp']));
    expect((times[3] ?? 0) - (times[0] ?? 0)).toBeGreaterThanOrEqual(6);
  });

  it('repeats at most one page after a kill, with the same ids', async () => {
    const relay = await started();
    await register(...Array.from({ length: 130 }, (_, index) => `user-${index}`));
    await untilReceived(60);
    await relay.stop('SIGKILL');
    start(settings);
    const events = (await readFeed(account.client, 'action=end-user.registered&limit=1000')).data;
    const wanted = events.map(({ id }) => id);
    await eventually('all are there', () => new Set(ids()).size === wanted.length, WITHIN_MS);
    expect([...new Set(ids())]).toEqual(wanted);
    expect(ids().length - wanted.length).toBeLessThanOrEqual(100);
  });

  it('passes the event that SKIP names', async () => {
    await register('ada', 'bob');
    const events = (await readFeed(account.client)).data;
    start({ ...settings, FROM: 'beginning', SKIP: events[1]?.id ?? '' });
    await untilReceived(events.length - 1);
    expect(ids()).toEqual(events.map(({ id }) => id).filter((_, index) => index !== 1));
  });

  it('posts only what FILTER names', async () => {
    await started({ FILTER: 'action=end-user.registered&action=end-user.deactivated' });
    await account.client.post('/v1/keys', { name: 'a key' });
    await register('ada');
    await untilReceived(1);
    expect(receiver.received[0]?.body).toContain('"end-user.registered"');
  });

  it('takes an answer that does not end within 15 s for none', async () => {
    await eventually('it tries again', () => endless.received.length > 1, WITHIN_MS);
    expect(late.lines()[0]).toMatch(/: no answer within 15 s; next try in 1 s$/);
    const [first, second] = endless.received.map(({ headers }) => headers);
    expect(second?.['webhook-id']).toBe(first?.['webhook-id']);
    expect(second?.['webhook-signature']).not.toBe(first?.['webhook-signature']);
  });

  describe('ends with exit code 1 and a line', () => {
    async function fails(more: Readonly<Record<string, string>>): Promise<string[]> {
      const relay = start({ ...settings, ...more });
      expect(await relay.ended).toBe(1);
      return relay.lines().filter((line) => line.startsWith('relay: '));
    }

    it('for each setting that is missing or wrong', async () => {
      const missing = start({});
      expect(await missing.ended).toBe(1);
      const named = missing.lines().map((line) => /^relay: ([A-Z_]+) is missing/.exec(line)?.[1]);
      expect(named).toEqual(['API_URL', 'API_KEY', 'WEBHOOK_URL', 'WEBHOOK_SECRET', 'CURSOR_FILE']);
      const wrong = {
        API_URL: `${service.address}/v1/`,
        API_KEY: 'a b',
        WEBHOOK_URL: 'ftp://a',
        WEBHOOK_SECRET: 'whsec_short',
        CURSOR_FILE: join(directory.path, 'none', 'cursor'),
        FROM: 'now',
        SKIP: 'x',
        FILTER: 'after=x',
      };
      expect(
        (await fails(wrong)).map((line) => /^relay: ([A-Z_]+) is wrong/.exec(line)?.[1]),
      ).toEqual(Object.keys(wrong));
      expect(await fails({ API_URL: `${service.address}/?a=b` })).toHaveLength(1);
      const file = join(directory.path, 'secret');
      writeFileSync(file, SECRET);
      expect(await fails({ WEBHOOK_SECRET_FILE: file })).toHaveLength(1);
      expect(await fails({ API_KEY: '', API_KEY_FILE: join(directory.path, 'none') })).toHaveLength(
        1,
      );
      writeFileSync(settings.CURSOR_FILE ?? '', '\n');
      expect(await fails({})).toHaveLength(1);
    });

    it('for a cursor, a filter and a key that the feed refuses', async () => {
      writeFileSync(settings.CURSOR_FILE ?? '', 'x');
      expect(await fails({})).toEqual([expect.stringContaining('cursor-unknown')]);
      writeFileSync(settings.CURSOR_FILE ?? '', await latestCursor(account.client, 'actor=x'));
      expect(await fails({ FILTER: 'actor=y' })).toEqual([expect.stringContaining('400')]);
      const gateway = await makeManagementKey(service, account, 'gateway');
      expect(await fails({ API_KEY: gateway })).toEqual([expect.stringContaining('403')]);
      const file = join(directory.path, 'key');
      writeFileSync(file, `${settings.API_KEY ?? ''}\n`);
      const relay = start({ ...settings, API_KEY: '', API_KEY_FILE: file });
      const hash = hashKeyString(settings.API_KEY ?? '');
      await account.client.delete(`/v1/management-keys/${hash}`);
      expect(await relay.ended).toBe(1);
      expect(relay.lines().at(-1)).toContain('401');
    });
  });
});

describe('the webhook relay of a feed that does not answer', () => {
  const directory = directoryOfEach();

  /** Gives the times at which a relay asks, until it has an answer after those of the feed. */
  async function askedBy(...replies: Reply[]): Promise<number[]> {
    const asked: number[] = [];
    const feed = await startLocal((_, response) => {
      asked.push(performance.now());
      const reply = replies.shift();
      if (reply) reply(response);
      else response.end(JSON.stringify({ data: [], next_cursor: 'next', has_more: false }));
    });
    const cursorFile = join(directory.path, 'cursor');
    start({
      API_URL: feed.address,
      API_KEY: 'a-key',
      WEBHOOK_URL: feed.address,
      WEBHOOK_SECRET: SECRET,
      CURSOR_FILE: cursorFile,
    });
    await eventually('it has a cursor', () => existsSync(cursorFile), WITHIN_MS);
    expect(readFileSync(cursorFile, 'utf8')).toBe('next\n');
    await feed.stop();
    return asked;
  }

  it('waits as long as the feed says, and tries again', async () => {
    const asked = await askedBy(
      (response) => response.writeHead(503, { 'Retry-After': '3' }).end(),
      (response) => response.destroy(),
      (response) => response.writeHead(429, { 'Retry-After': '1' }).end(),
    );
    const pauses = asked.slice(1, 4).map((at, index) => (at - (asked[index] ?? 0)) / 1_000);
    // At least as long as `Retry-After`, and at least 1, 2 and 4 s.
    for (const [index, least] of [3, 2, 4].entries()) {
      expect(pauses[index]).toBeGreaterThan(least - 0.1);
      expect(pauses[index]).toBeLessThan(least + 1);
    }
  });

  it('waits too while something else answers in its place', async () => {
    const asked = await askedBy((response) => response.end('{"of":"another service"}'));
    expect(asked.length).toBeGreaterThan(1);
  });
});

describe('docs/guides/webhooks.md', () => {
  const account = accountOf(service);
  const directory = madeBy(beforeAll, async () => makeTempDirectory());
  const guide = read('docs/guides/webhooks.md');
  const running: ChildProcess[] = [];

  afterAll(async () => {
    for (const child of running) {
      // The shell and the program that it runs.
      process.kill(-(child.pid ?? 0), 'SIGKILL');
      await once(child, 'close');
    }
    directory.remove();
  });

  /** Runs a program of the guide in its directory. Gives what it has printed. */
  function run(command: string, args: readonly string[], more: object = {}): () => string {
    const env = { PATH: process.env.PATH, ...more };
    const child = spawn(command, args, { cwd: directory.path, env, detached: true });
    running.push(child);
    let printed = '';
    for (const stream of [child.stdout, child.stderr]) {
      stream.setEncoding('utf8').on('data', (chunk: string) => (printed += chunk));
    }
    return () => printed;
  }

  it('starts a relay, and a receiver that verifies what the relay posts', async () => {
    const port = String(await freePort());
    const path = (name: string): string => join(directory.path, name);
    cpSync('deploy/webhook-relay/relay.mjs', path('relay.mjs'));
    symlinkSync(resolve('node_modules'), path('node_modules'));
    writeFileSync(path('management-key'), await makeManagementKey(service, account, 'auditor'));
    const [receiver = ''] = blocksOf(guide).flatMap(({ language, text }) =>
      language === 'js' ? [text] : [],
    );
    writeFileSync(path('receiver.mjs'), receiver.replace('8080', port));
    const [command = ''] = commandsOf('docs/guides/webhooks.md');
    const here = command.replace('http://127.0.0.1:3000', service.address).replace('8080', port);
    const relayed = run('sh', ['-c', here]);
    await eventually('it has a cursor', () => existsSync(path('cursor')), WITHIN_MS);
    const WEBHOOK_SECRET = readFileSync(path('webhook-secret'), 'utf8').trim();
    const received = run(process.execPath, ['receiver.mjs'], { WEBHOOK_SECRET });
    await account.client.post('/v1/end-users', { user: 'ada' });
    await eventually(
      'the event is there',
      () => received() === 'end-user.registered ada\n',
      WITHIN_MS,
    );
    await eventually('the relay knows', () => relayed().includes('delivered'));
  });

  it('has every setting of the relay, and no other', () => {
    const listed = tableRows(guide).flatMap(([names = '']) => names.split(' or '));
    const named = read('deploy/webhook-relay/relay.mjs').matchAll(/^ {2}([A-Z_]+): \[/gm);
    const settings = [...named].map(([, name]) => name);
    const files = ['API_KEY_FILE', 'WEBHOOK_SECRET_FILE'];
    expect(listed.sort()).toEqual([...settings, ...files].sort());
  });
});

describe('deploy/webhook-relay', () => {
  it('has at most 200 lines, and the package that is tested', () => {
    const lines = read('deploy/webhook-relay/relay.mjs').split('\n');
    expect(lines.length - 1).toBeLessThanOrEqual(200);
    const parsed = (file: string) =>
      JSON.parse(read(file)) as Record<string, Record<string, string>>;
    const { dependencies } = parsed('deploy/webhook-relay/package.json');
    const { devDependencies } = parsed('package.json');
    expect(dependencies).toEqual({ standardwebhooks: devDependencies?.standardwebhooks });
  });
});
