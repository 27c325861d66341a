import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join, resolve } from 'node:path';
import { text } from 'node:stream/consumers';
import { afterAll, afterEach, describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/backends/server-process.js';
import type { AuditEvent } from '../../../src/features/audit-trail/domain/audit-event.js';
import { startFixedAnswers, startLocal } from '../deploy/api-behind.js';
import { startGateway } from '../deploy/gateway.js';
import { startRelay } from '../deploy/running-relay.js';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import { createKey } from '../../support/harness/api-keys.js';
import { eventually } from '../../support/harness/eventually.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { createGatewayKey } from '../../support/harness/management-keys.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { reportUsage } from '../../support/harness/report-usage.js';
import { accountOfEach, runningApp } from '../../support/harness/running-app.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { comparable } from './comparable.js';
import { blocksOfFiles, describeEachExample, environmentOf, type Example } from './examples.js';
import { blocksOf, read, section } from './markdown.js';
import { stepsOf, take } from './walk.js';

const READY_WITHIN_MS = 10_000;

/** The arguments of a program that puts the middleware before an API of another framework. */
const WITH_FRAMEWORK = {
  Node: [
    '--input-type=module',
    '--eval',
    `
      import express from 'express';
      const { ADDRESS, FOLDER, KEY, PORT, WORKSPACE } = process.env;
      const { protect } = await import(FOLDER + '/protect.mjs');
      express()
        .use(
          protect({
            address: ADDRESS,
            managementKey: KEY,
            workspaceId: WORKSPACE,
            userOf: ({ headers }) => headers['x-user'],
          }),
        )
        .get('/', (request, response) => response.json(request.apiKey))
        .listen(PORT, '127.0.0.1');`,
  ],
  Python: [
    '-c',
    `
import json, os, sys
from wsgiref.simple_server import make_server
sys.path.insert(0, os.environ["FOLDER"])
from keyledger_http import Keyledger
from protect import protect
def api(environ, start_response):
    start_response("200 OK", [("Content-Type", "application/json")])
    return [json.dumps(environ["keyledger.key"]).encode()]
keyledger = Keyledger(os.environ["ADDRESS"], os.environ["KEY"])
user_of = lambda environ: environ.get("HTTP_X_USER")
app = protect(api, keyledger, os.environ["WORKSPACE"], user_of)
make_server("127.0.0.1", int(os.environ["PORT"]), app).serve_forever()`,
  ],
} satisfies Record<Example['language'], string[]>;

const guide = read('docs/guides/protect-an-api.md');
const budgets = section(guide, 'A budget for each of your users, and a mail at 80 %');
const steps = stepsOf(guide.replace(budgets, ''));

describe('docs/guides/protect-an-api.md', () => {
  it('shows code of examples as it stands in their files', () => {
    const code = blocksOf(guide).filter(({ language }) => /^(?:js|python)$/.test(language));
    const shown = blocksOfFiles(guide);
    expect(shown.map(({ text }) => text)).toEqual(code.map(({ text }) => text));
    expect(shown.filter(({ file, text }) => !read(file).includes(text))).toEqual([]);
  });
});

describe('docs/guides/protect-an-api.md on budgets', () => {
  const service = runningApp();
  const account = accountOfEach(service);
  const directory = makeTempDirectory();

  afterAll(() => directory.remove());

  /** Starts a relay with the filter of the guide. @returns the events that it posts. */
  async function relayed(): Promise<readonly AuditEvent[]> {
    const events: AuditEvent[] = [];
    const receiver = await startLocal(async (request, response) => {
      events.push(JSON.parse(await text(request)) as AuditEvent);
      response.end();
    });
    const relay = startRelay({
      API_URL: service.address,
      API_KEY: account.managementKey,
      WEBHOOK_URL: receiver.address,
      WEBHOOK_SECRET: `whsec_${Buffer.alloc(32).toString('base64')}`,
      CURSOR_FILE: join(directory.path, 'cursor'),
      FROM: 'beginning',
      FILTER: /`FILTER=(.+?)`/.exec(budgets)?.[1] ?? '',
    });
    try {
      await eventually('both events are there', () => events.length > 1, READY_WITHIN_MS);
    } finally {
      await relay.stop('SIGKILL');
      await receiver.stop();
    }
    return events;
  }

  it('is right of each step, of the refusal and of the events that the relay sends', async () => {
    const variables: Record<string, string> = {
      ADDRESS: service.address,
      KEY: account.managementKey,
      GATEWAY_KEY: await createGatewayKey(account.client),
    };
    const statuses: number[] = [];
    for (const step of stepsOf(budgets)) {
      variables.REPORT = randomUUID();
      const { status, body } = await take(step, variables);
      statuses.push(status);
      if (step.shown !== undefined) expect(comparable([body])).toEqual(comparable([step.shown]));
    }
    expect(statuses).toEqual([201, 201, 201, 200, 200, 201, 200, 200]);

    const { HASH, API_KEY } = variables;
    await reportUsage(account.client, { key_hash: HASH, cost: 2, user: 'customer-7' });
    const verified = async (user: string): Promise<unknown> =>
      (await account.client.post('/v1/keys/verify', { key: API_KEY, user })).body;
    expect(await verified('customer-7')).toMatchObject({
      data: { code: 'LIMIT_EXCEEDED', exceeded: { scope: 'end-user' } },
    });
    expect(await verified('customer-8')).toMatchObject({ data: { code: 'VALID' } });

    const events = await relayed();
    expect(events.map(({ target, changes }) => [target.id, changes[0]?.after])).toEqual([
      ['customer-7', 80],
      ['customer-7', 100],
    ]);
  });
});

describeEachExample('docs/guides/protect-an-api.md', (example) => {
  const service = runningApp();
  const directory = makeTempDirectory();
  const running: (() => Promise<void>)[] = [];
  /** The errors that the newest script has printed. */
  let printed: string;

  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });

  afterAll(() => directory.remove());

  /** Runs a program with some arguments, and waits until it serves. @returns its address. */
  async function serve(
    program: string,
    args: readonly string[],
    settings: object = {},
    cwd = directory.path,
  ): Promise<string> {
    const port = await freePort();
    const child = spawn(program, args, {
      env: environmentOf({ PORT: String(port), ...settings }),
      cwd,
      stdio: ['ignore', 'ignore', 'pipe'],
    });
    printed = '';
    child.stderr.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const ended = once(child, 'close');
    running.push(async () => {
      child.kill('SIGKILL');
      await ended;
    });
    const address = `http://127.0.0.1:${port}`;
    const answers = (): Promise<boolean> =>
      fetch(address).then(
        () => true,
        () => false,
      );
    await eventually(`${args.join(' ')} answers`, answers, READY_WITHIN_MS);
    return address;
  }

  function serveExample(settings: object): Promise<string> {
    return serve(example.program, [example.api], settings);
  }

  /**
   * Follows the guide, and compares every answer that it shows.
   * @param GATEWAY_KEY the string that the gateway makes. @returns the statuses.
   */
  async function follow(GATEWAY_KEY: string, gateway?: string): Promise<number[]> {
    const variables: Record<string, string> = {
      ADDRESS: service.address,
      KEY: service.managementKey,
      GATEWAY_KEY,
      GATEWAY_HASH: hashKeyString(GATEWAY_KEY),
      REPORT: randomUUID(),
      API: await serveExample({ ADDRESS: service.address, KEY: GATEWAY_KEY }),
      ...(gateway !== undefined && { GATEWAY: gateway }),
    };
    const taken = steps.filter(
      ({ command }) => gateway !== undefined || !command.includes('$GATEWAY/'),
    );
    const statuses: number[] = [];
    for (const step of taken) {
      const { status, body } = await take(step, variables);
      statuses.push(status);
      if (step.shown !== undefined) expect(comparable([body])).toEqual(comparable([step.shown]));
    }
    return statuses;
  }

  it('is right of curl and of the middleware', async () => {
    const statuses = await follow(mintKeyString('mk-v1-'));
    expect(statuses).toEqual([201, 201, 200, 200, 401, 201, 429, 200, 401]);
  });

  onlyWhereInstalled('caddy')('with a gateway', () => {
    it('is right of all three ways', async () => {
      expect(guide).toContain('caddy run --config deploy/gateways/Caddyfile');
      const managementKey = mintKeyString('mk-v1-');
      const gateway = await startGateway('caddy', {
        keyledger: service.address,
        api: await serve(process.execPath, [resolve('examples/api-behind-a-gateway.mjs')]),
        managementKey,
      });
      running.push(() => gateway.stop());
      const statuses = await follow(managementKey, gateway.address);
      expect(statuses).toEqual([201, 201, 200, 200, 401, 200, 401, 201, 429, 429, 200, 401, 401]);
    });
  });

  it('has an API that reports what its requests have cost', async () => {
    const { data, key } = await createKey(service.client, { limit: 1 });
    const environment = { ADDRESS: service.address, KEY: await createGatewayKey(service.client) };
    const client = new HttpClient(await serveExample(environment));
    for (let request = 0; request < 3; request++) await client.as(key).get('/');
    const usage = async (): Promise<number> => {
      const { body } = await service.client.get<{ data: { usage: number } }>(
        `/v1/keys/${data.hash}`,
      );
      return body.data.usage;
    };
    await eventually('each is charged', async () => (await usage()) === 0.03, READY_WITHIN_MS);
  });

  it('has a middleware that also serves other frameworks, workspaces, limits and users', async () => {
    const { data, key } = await createKey(service.client);
    await service.client.put('/v1/end-users/poor', undefined);
    await service.client.put('/v1/end-users/poor/budget', { limit: 0 });
    const spent = await createKey(service.client, { limit: 0 });
    const rotated = await createKey(service.client);
    await service.client.post(`/v1/keys/${rotated.data.hash}/rotate`, { grace_seconds: 0 });
    const environment = { ADDRESS: service.address, KEY: await createGatewayKey(service.client) };
    for (const [workspace, status] of [
      [data.workspace_id, 200],
      ['another-one', 403],
    ] as const) {
      const settings = { ...environment, FOLDER: example.folder, WORKSPACE: workspace };
      const args = WITH_FRAMEWORK[example.language];
      const client = new HttpClient(await serve(example.program, args, settings, process.cwd()));
      const answer = await client.as(key).get('/');
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.body).toMatchObject({ hash: data.hash });
      expect((await client.as(spent.key).get('/')).status).toBe(status === 200 ? 429 : 403);
      const poor = await client.as(key).get('/', { headers: { 'X-User': 'poor' } });
      expect(poor.status).toBe(status === 200 ? 429 : 403);
      for (const wrong of ['x', 'x'.repeat(600), service.managementKey, rotated.key]) {
        expect((await client.as(wrong).get('/')).status).toBe(401);
      }
    }
  });

  it('has a middleware that lets nobody in without a clear yes, and says once why', async () => {
    const keyledger = await startFixedAnswers();
    running.push(() => keyledger.stop());
    const environment = { ADDRESS: keyledger.address, KEY: 'a-key' };
    const client = new HttpClient(await serveExample(environment));
    for (const answer of [200, 302, 401, 429, 500, 503, 'broken', 401] as const) {
      keyledger.answer = answer;
      expect((await client.as('sk-v1-any').get('/')).status).toBe(503);
    }
    expect(printed.match(/Keyledger answered 401/g)).toHaveLength(1);
  });
});
