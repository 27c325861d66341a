import { randomInt } from 'node:crypto';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { LEDGERS } from '../../src/host/ledgers/ledgers.js';
import { namespaceOf } from '../../src/event-sourcing/projections/generations.js';
import Database from 'better-sqlite3';
import fc from 'fast-check';
import type { ErrorBody } from '../../src/edge/http/answers/error-body.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import type { CommandLineResult } from '../support/harness/command-line.js';
import { eventually } from '../support/harness/eventually.js';
import type { Answer } from '../support/harness/http-client.js';
import { ModelRun } from '../support/harness/model-run.js';
import { anyStep, firstSteps } from '../support/harness/model-steps.js';
import { onlyOn } from '../support/harness/only-on.js';
import { startApp, type StartedApp } from '../support/harness/running-app.js';
import { stateOf } from '../support/harness/service-state.js';
import { appendUnreadable } from '../support/harness/unreadable-event.js';

const embedded = onlyOn('embedded', 'events and documents are changed by hand, in their files');

const NAME = 'management';
const USERS = 'end_users';
const ORGANIZATIONS = 'organizations';
const STEPS = 600;

describe('projections verify', () => {
  let service: StartedApp;

  beforeEach(async () => {
    service = await startApp();
  });

  afterEach(async () => {
    await service.stop();
  });

  function run(...args: string[]): Promise<CommandLineResult> {
    return keyledgerHere(service.backends.settings, 'projections', ...args);
  }

  /** Changes a database of the service directly. */
  function byHand(file: string, statements: string): void {
    const db = new Database(file);
    try {
      db.exec(statements);
    } finally {
      db.close();
    }
  }

  function readModelFile(): string {
    return join(
      service.backends.dataDir,
      'read-models',
      `${namespaceOf(LEDGERS.management.readSide, 1)}.db`,
    );
  }

  embedded.it(
    'finds every document changed by hand and names it; rebuild mends them beside the service',
    async () => {
      for (const user of ['ada', 'bob', 'eve'])
        await service.client.post('/v1/end-users', { user });
      await stateOf(service);
      const right = await service.client.get('/v1/end-users');
      expect(await run('verify', NAME, '--json')).toMatchObject({
        code: 0,
        json: { data: [{ name: NAME, differences: [] }] },
      });
      byHand(
        readModelFile(),
        `UPDATE "${USERS}" SET body = json_set(body, '$.is_active', json('false')) WHERE key LIKE '%/ada';
       DELETE FROM "${USERS}" WHERE key LIKE '%/bob';
       INSERT INTO "${USERS}" SELECT key || 'x', body, organization_id, is_active, ordinal
         FROM "${USERS}" WHERE key LIKE '%/eve';
       UPDATE "${ORGANIZATIONS}" SET body = json_set(body, '$.registered', 4);`,
      );
      const found = await run('verify', NAME, '--json');
      expect(found).toMatchObject({ code: 1, stderr: '' });
      const named = (suffix: string, kind: string): object => ({
        collection: USERS,
        key: expect.stringMatching(new RegExp(`/${suffix}$`)),
        kind,
      });
      expect(found.json).toEqual({
        data: [
          {
            name: NAME,
            documents: expect.any(Number),
            differences: [
              named('ada', 'different'),
              named('bob', 'missing'),
              named('evex', 'extra'),
              { collection: ORGANIZATIONS, key: expect.any(String), kind: 'different' },
            ],
          },
        ],
      });
      const forPeople = await run('verify');
      expect(forPeople).toMatchObject({ code: 1 });
      expect(forPeople.stdout).toMatch(/ management +│ \d+ +│ 4 /);
      expect(forPeople.stdout).toMatch(/ end_users +│ \S+\/bob +│ missing /);
      expect(await run('rebuild', NAME)).toMatchObject({ code: 0, stderr: '' });
      expect(await run('verify', NAME)).toMatchObject({ code: 0 });
      await eventually('the service answers as before', async () => {
        const { text } = await service.client.get('/v1/end-users');
        return text === right.text;
      });
    },
  );

  it('finds nothing after a long run of anything: what was kept up to date is what a fold of it all gives', async () => {
    const created = await service.client.post<{ key: string }>('/v1/keys', { name: 'no manager' });
    const model = await ModelRun.begin(service, created.body.key);
    const seed = Number(process.env.SEED ?? randomInt(2 ** 31));
    const steps = fc.sample(anyStep, { numRuns: STEPS, seed });
    for (const step of [...firstSteps, ...steps]) await model.take(step);
    await stateOf(service);
    const { code, json } = await run('verify', '--json');
    const { data } = json as { data: { documents: number; differences: unknown[] }[] };
    const found = data.flatMap(({ differences }) => differences);
    // `SEED` repeats the steps of a run.
    expect({ seed, found }).toEqual({ seed, found: [] });
    expect(data).toMatchObject([{ name: NAME }, { name: 'usage' }]);
    expect(data[0]?.documents).toBeGreaterThan(0);
    expect(code).toBe(0);
    const status = await run('status', '--json');
    expect(status).toMatchObject({ code: 0, stderr: '' });
    const generation: unknown = expect.any(Number);
    const position: unknown = expect.any(String);
    const same = { generation, lag: 0, state: 'live', parked: [] };
    expect(status.json).toEqual({
      data: [
        { name: NAME, version: LEDGERS.management.readSide.digest, position, ...same },
        { name: 'usage', version: LEDGERS.usage.readSide.digest, position: null, ...same },
      ],
    });
  });

  embedded.it(
    'is stopped by an event that tells no account, which is named, and heals once it is mended',
    async () => {
      await service.client.post('/v1/end-users', { user: 'ada' });
      expect(await service.client.get('/v1/end-users/ada')).toMatchObject({ status: 200 });
      await appendUnreadable(service.app, 'EndUserRegistered');
      const ready = (): Promise<Answer<ErrorBody>> => service.client.get('/health/ready');
      const red = await eventually('readiness tells that it is stuck', async () => {
        const { status, body } = await ready();
        return status === 503 && body.error.metadata.missing;
      });
      // The port of the API names no event. The log and the operations port do.
      expect(red).toEqual([{ part: `read models of ${NAME}`, problem: 'stuck' }]);
      const named =
        /event [0-9a-f-]{36} \(EndUserRegistered version 99\) in stream \S+ at position [0-9]+/;
      const told = await eventually('it is told to be stuck', () =>
        service.logLines.find((line) => line.includes(`read models of ${NAME} are stuck`)),
      );
      expect(told).toMatch(named);
      const status = await run('status', '--json');
      expect(status.json).toMatchObject({
        data: [
          { name: NAME, state: 'stuck', lag: 1, problem: expect.stringMatching(named) },
          { name: 'usage', state: 'live' },
        ],
      });
      expect((await run('status')).stderr).toMatch(named);
      expect(await service.client.post('/v1/keys', { name: 'a key' })).toMatchObject({
        status: 201,
      });
      expect(await run('verify', NAME, '--json')).toMatchObject({
        code: 0,
        json: { data: [{ name: NAME, differences: [] }] },
      });
      const rebuilt = await run('rebuild', NAME);
      expect(rebuilt).toMatchObject({ code: 1, stdout: '' });
      expect(rebuilt.stderr).toMatch(named);
      const all = await run('rebuild', '--json');
      expect(all).toMatchObject({ code: 1, stdout: '', stderr: expect.stringMatching(named) });
      byHand(
        join(service.backends.dataDir, 'events.db'),
        `DROP TRIGGER events_are_never_updated;
       UPDATE events SET (version, data, metadata) =
         (SELECT version, json_set(data, '$.user', 'bob'), metadata FROM events
         WHERE type = 'EndUserRegistered' AND version < 99) WHERE version = 99;`,
      );
      await eventually('readiness turns green', async () => (await ready()).status === 200, 20_000);
      expect(await service.client.get('/v1/end-users')).toMatchObject({ body: { total_count: 2 } });
      expect(await run('verify')).toMatchObject({ code: 0 });
    },
  );
});
