import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, describe, expect, it } from '@jest/globals';
import { freePort } from '../../support/backends/server-process.js';
import { startFixedAnswers } from '../deploy/api-behind.js';
import { startGateway } from '../deploy/gateway.js';
import { createKey } from '../../support/harness/api-keys.js';
import { eventually } from '../../support/harness/eventually.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { runningApp } from '../../support/harness/running-app.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { comparable } from './comparable.js';
import { guide, scriptNames, writeScripts } from './guide-scripts.js';
import { stepsOf, take } from './walk.js';

const READY_WITHIN_MS = 10_000;

const steps = stepsOf(guide);

describe('docs/guides/protect-an-api.md', () => {
  const service = runningApp();
  const directory = makeTempDirectory();
  const running: (() => Promise<void>)[] = [];
  /** What the newest script has printed as errors. */
  let printed: string;

  beforeAll(() => {
    writeScripts(directory.path);
  });

  afterEach(async () => {
    for (const stop of running.splice(0)) await stop();
  });

  afterAll(() => directory.remove());

  /** Runs Node with some arguments, and waits until it serves. @returns its address. */
  async function serve(
    args: readonly string[],
    environment: object = {},
    cwd?: string,
  ): Promise<string> {
    const port = await freePort();
    const child = spawn(process.execPath, args, {
      env: { PATH: process.env.PATH, PORT: String(port), ...environment },
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

  function serveScript(name: string, environment: object = {}): Promise<string> {
    return serve([name], environment, directory.path);
  }

  /** Follows the guide, and compares every answer that it shows. @returns the statuses. */
  async function follow(gateway?: string): Promise<number[]> {
    const variables: Record<string, string> = {
      ADDRESS: service.address,
      KEY: service.managementKey,
      REPORT: randomUUID(),
      API: await serveScript('protected-api.mjs', {
        ADDRESS: service.address,
        KEY: service.managementKey,
      }),
      ...(gateway !== undefined && { GATEWAY: gateway }),
    };
    const taken = steps.filter(
      ({ command }) => gateway !== undefined || !command.includes('$GATEWAY'),
    );
    const statuses: number[] = [];
    for (const step of taken) {
      const { status, body } = await take(step, variables);
      statuses.push(status);
      if (step.shown !== undefined) expect(comparable([body])).toEqual(comparable([step.shown]));
    }
    return statuses;
  }

  it('has a name for each script', () => {
    expect(scriptNames).toEqual(['api.mjs', 'protect.mjs', 'report.mjs', 'protected-api.mjs']);
  });

  it('is right of curl and of the middleware', async () => {
    expect(await follow()).toEqual([201, 200, 200, 401, 201, 429, 200, 401]);
  });

  onlyWhereInstalled('caddy')('with a gateway', () => {
    it('is right of all three ways', async () => {
      expect(guide).toContain('caddy run --config deploy/gateways/Caddyfile');
      const gateway = await startGateway('caddy', {
        keyledger: service.address,
        api: await serveScript('api.mjs'),
        managementKey: service.managementKey,
      });
      running.push(() => gateway.stop());
      const statuses = await follow(gateway.address);
      expect(statuses).toEqual([201, 200, 200, 401, 200, 401, 201, 429, 429, 200, 401, 401]);
    });
  });

  it('has an API that reports what its requests have cost', async () => {
    const { data, key } = await createKey(service.client, { limit: 1 });
    const environment = { ADDRESS: service.address, KEY: service.managementKey };
    const client = new HttpClient(await serveScript('protected-api.mjs', environment));
    for (let request = 0; request < 3; request++) await client.as(key).get('/');
    const usage = async (): Promise<number> => {
      const { body } = await service.client.get<{ data: { usage: number } }>(
        `/v1/keys/${data.hash}`,
      );
      return body.data.usage;
    };
    await eventually('each is charged', async () => (await usage()) === 0.03, READY_WITHIN_MS);
  });

  it('has a middleware that also serves Express, workspaces and limits', async () => {
    const script = `
      import express from 'express';
      import { protect } from '${join(directory.path, 'protect.mjs')}';
      const { ADDRESS, KEY, PORT, WORKSPACE } = process.env;
      express()
        .use(protect({ address: ADDRESS, managementKey: KEY, workspaceId: WORKSPACE }))
        .get('/', (request, response) => response.json(request.apiKey))
        .listen(PORT, '127.0.0.1');`;
    const { data, key } = await createKey(service.client);
    const spent = await createKey(service.client, { limit: 0 });
    const environment = { ADDRESS: service.address, KEY: service.managementKey };
    for (const [workspace, status] of [
      [data.workspace_id, 200],
      ['another-one', 403],
    ] as const) {
      const settings = { ...environment, WORKSPACE: workspace };
      const address = await serve(['--input-type=module', '-e', script], settings);
      const client = new HttpClient(address);
      const answer = await client.as(key).get('/');
      expect(answer.status).toBe(status);
      if (status === 200) expect(answer.body).toMatchObject({ hash: data.hash });
      expect((await client.as(spent.key).get('/')).status).toBe(status === 200 ? 429 : 403);
      for (const wrong of ['x', 'x'.repeat(600), service.managementKey]) {
        expect((await client.as(wrong).get('/')).status).toBe(401);
      }
    }
  });

  it('has a middleware that lets nobody in without a clear yes, and says once why', async () => {
    const keyledger = await startFixedAnswers();
    running.push(() => keyledger.stop());
    const environment = { ADDRESS: keyledger.address, KEY: 'a-key' };
    const client = new HttpClient(await serveScript('protected-api.mjs', environment));
    for (const answer of [200, 302, 401, 429, 500, 503, 'broken', 401] as const) {
      keyledger.answer = answer;
      expect((await client.as('sk-v1-any').get('/')).status).toBe(503);
    }
    expect(printed.match(/Keyledger answered 401/g)).toHaveLength(1);
  });
});
