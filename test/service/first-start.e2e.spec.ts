import { beforeAll, describe, expect, it } from '@jest/globals';
import { hashKeyString, mintKeyString } from '../../src/kernel/key-string.js';
import { keyledgerHere } from '../support/harness/command-in-process.js';
import { cutOffFirstStart } from '../support/harness/cut-off-first-start.js';
import { runCurlLine } from '../support/harness/curl-line.js';
import { runServiceToItsEnd, type ServiceProcess } from '../support/harness/service-process.js';
import { stageOfAll, stageOfEach } from '../support/harness/stage.js';
import { storedEvents } from '../support/harness/stored-events.js';

const CHOSEN = 'a0b1c2d3e4f5g6h7i8j9k0l1m2n3o4p5q6r7';
const MANAGEMENT_KEY = /mk-v1-[0-9a-f]{64}/g;

describe('the first start on an empty log, which is given no key,', () => {
  const { backends, start } = stageOfAll();
  let first: ServiceProcess;
  let events: Awaited<ReturnType<typeof storedEvents>>;

  beforeAll(async () => {
    first = await start();
    events = await storedEvents(backends.settings);
  });

  it('makes one organization with its default workspace, owner and key in one go, as the system', () => {
    expect(events.map(({ type }) => type)).toEqual([
      'ManagementKeyReserved',
      'AccountCreated',
      'MemberAdded',
      'WorkspaceCreated',
      'ManagementKeyCreated',
    ]);
    const hash = hashKeyString(first.managementKey);
    expect(events[0]).toMatchObject({ stream: `key-${hash}`, data: { hash } });
    expect(events[1]?.data).toMatchObject({ kind: 'organization' });
    expect(events[4]?.data).toMatchObject({ hash, role: 'admin', expires_at: null });
    expect(new Set(events.slice(1).map(({ stream }) => stream)).size).toBe(1);
    for (const { metadata } of events) expect(metadata.actor.type).toBe('system');
  });

  it('shows a management key once on standard output, apart from the log, with a curl line that works', async () => {
    const { lines, output } = first;
    const text = lines()
      .filter((line) => !line.startsWith('{'))
      .join('\n');
    const shown = output().match(MANAGEMENT_KEY) ?? [];
    expect(shown).toHaveLength(1);
    const [KEY = ''] = shown;
    expect(text.split('\n').filter((line) => line.trim() === `KEY=${KEY}`)).toHaveLength(1);
    const curlLines = text.split('\n').filter((line) => line.trim().startsWith('curl '));
    expect(curlLines).toHaveLength(1);
    const answer = JSON.parse(await runCurlLine(curlLines.join(''), { KEY })) as unknown;
    expect(answer).toMatchObject({
      key: expect.stringMatching(/^sk-v1-[0-9a-f]{64}$/),
      data: { hash: expect.stringMatching(/^[0-9a-f]{64}$/), disabled: false },
    });
  });
});

describe('a start after the first one, which was given no key,', () => {
  const { start } = stageOfEach();

  it('never shows the key again, and the key stays good', async () => {
    const first = await start();
    expect(await first.stop()).toBe(0);
    const second = await start();
    expect(second.output()).not.toMatch(MANAGEMENT_KEY);
    expect(second.output()).not.toContain('curl');
    const told = await second.logs(
      /first start .* showed one .*: keyledger management-keys create$/,
    );
    expect(told).toMatchObject({ level: 30 });
    expect(first.output()).not.toContain('management-keys create');
    const client = second.client.as(first.managementKey);
    expect(await client.get('/v1/end-users')).toMatchObject({ status: 200 });
  });
});

describe('the first start on an empty log', () => {
  const { backends, start } = stageOfEach();

  it.each([
    ['of our own form', mintKeyString('mk-v1-')],
    ['of any other form', 'One!Secret-That(Nobody)Would^Guess~'],
    ['of 32 characters', CHOSEN.slice(0, 32)],
    ['of 256 characters', CHOSEN.padEnd(256, 'y')],
  ])('uses a given key %s and does not print it', async (_form, key) => {
    const { client, output } = await start({ BOOTSTRAP_MANAGEMENT_KEY: key });
    expect(await client.as(key).post('/v1/end-users', { user: 'ada' })).toMatchObject({
      status: 201,
    });
    expect(output()).not.toContain(key);
    expect(output()).not.toMatch(MANAGEMENT_KEY);
  });

  it('alone looks at a given key: later another one changes nothing, and is not judged', async () => {
    const key = mintKeyString('mk-v1-');
    const other = mintKeyString('mk-v1-');
    await (await start({ BOOTSTRAP_MANAGEMENT_KEY: key })).stop();
    const second = await start({ BOOTSTRAP_MANAGEMENT_KEY: other });
    expect(await second.client.as(other).get('/v1/end-users')).toMatchObject({ status: 401 });
    expect(await second.client.as(key).get('/v1/end-users')).toMatchObject({ status: 200 });
    await second.stop();
    const { client } = await start({ BOOTSTRAP_MANAGEMENT_KEY: 'x'.repeat(32) });
    expect(await client.get('/health/ready')).toMatchObject({ status: 200 });
  });

  // Each other form that is refused: src/host/settings/settings.spec.ts.
  it('refuses a given key of a wrong form without showing it, and stores nothing', async () => {
    const key = `${'s'.repeat(40)}\x07`;
    const settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: key };
    const { code, output } = await runServiceToItsEnd(settings);
    expect(code).toBe(1);
    expect(output).toContain('BOOTSTRAP_MANAGEMENT_KEY');
    expect(output).not.toContain(key);
    expect(output).not.toContain(key.slice(0, 20));
    expect(await storedEvents(backends.settings)).toEqual([]);
  });

  // Each other key that is easy to guess: src/features/accounts/first-start/guessable-key.spec.ts.
  it('refuses a given key that is easy to guess in one line, says how to make a good one, and stores nothing', async () => {
    const key = 'correct-horse'.repeat(4);
    const settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: key };
    const { code, output } = await runServiceToItsEnd(settings);
    expect(code).toBe(1);
    const lines = output.split('\n').filter((line) => line.includes('BOOTSTRAP_MANAGEMENT_KEY'));
    expect(lines).toEqual([
      expect.stringMatching(/^BOOTSTRAP_MANAGEMENT_KEY: .*openssl rand -hex 32$/),
    ]);
    expect(output).not.toContain(key.slice(0, 7));
    expect(await storedEvents(backends.settings)).toEqual([]);
  });

  it.each([
    ['its own', undefined],
    ['a given', mintKeyString('mk-v1-')],
  ])(
    'is finished by the next one when it was killed after it reserved %s key',
    async (_, given) => {
      const setting = given === undefined ? {} : { BOOTSTRAP_MANAGEMENT_KEY: given };
      await cutOffFirstStart({ ...backends.settings, ...setting });
      expect(await storedEvents(backends.settings)).toMatchObject([
        { type: 'ManagementKeyReserved' },
      ]);
      const first = await start(setting);
      const key = given ?? first.managementKey;
      expect(await first.client.as(key).get('/v1/end-users')).toMatchObject({ status: 200 });
      await first.stop();
      const before = await storedEvents(backends.settings);
      await (await start(setting)).stop();
      expect(await storedEvents(backends.settings)).toEqual(before);
    },
  );

  it('makes no account where the command line made one before', async () => {
    const made = await keyledgerHere(
      backends.settings,
      ...['accounts', 'create', '--name', 'Earlier', '--owner', 'ada', '--json'],
    );
    const { account_id, management_key } = made.json as Record<string, string>;
    const key = mintKeyString('mk-v1-');
    const { client, output } = await start({ BOOTSTRAP_MANAGEMENT_KEY: key });
    expect(output()).not.toMatch(MANAGEMENT_KEY);
    expect(await client.as(key).get('/v1/end-users')).toMatchObject({ status: 401 });
    expect(await client.as(management_key).get('/v1/end-users')).toMatchObject({ status: 200 });
    const { json } = await keyledgerHere(backends.settings, 'accounts', 'list', '--json');
    expect(json).toEqual({ data: [expect.objectContaining({ account_id, name: 'Earlier' })] });
  });
});
