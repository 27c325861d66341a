import { randomUUID } from 'node:crypto';
import { chmodSync, copyFileSync, cpSync, renameSync, statSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterAll, afterEach, beforeAll, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { type Backends, FORM, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { type CommandLineResult, keyledger, keyledgerThrough } from '../harness/command-line.js';
import { boundByPermissions } from '../harness/file-faults.js';
import { onlyOn } from '../harness/only-on.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';
import { directoryBytes } from '../harness/stored-bytes.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

interface Finding {
  readonly part: string;
  readonly state: 'ok' | 'warn' | 'fail';
  readonly found: string;
  readonly todo: string | null;
}

const allEmbedded = onlyOn('embedded', 'all is in the data directory');

function findings({ json }: CommandLineResult): readonly Finding[] {
  return (json as { data: Finding[] }).data;
}

/** The findings that are not in order, as `state part: found`. */
function troubles(result: CommandLineResult): string[] {
  return findings(result)
    .filter(({ state }) => state === 'fail')
    .map(({ part, found }) => `${part}: ${found}`);
}

/** Servers are left out, because Jest fails when two checks import their shared modules at once. */
const doctor = (settings: Readonly<Record<string, string>>): Promise<CommandLineResult> =>
  keyledgerHere(settings, 'doctor', '--json');

// Doctor waits ten seconds for servers, and other tests run meanwhile.
let unanswered: Promise<CommandLineResult>;
beforeAll(() => {
  unanswered = keyledger(
    {
      DATA_DIR: join(tmpdir(), randomUUID()),
      EVENTSTOREDB_CONNECTION_STRING: 'esdb://127.0.0.1:1?tls=false',
      MONGODB_URI: 'mongodb://127.0.0.1:1',
    },
    ...['doctor', '--json'],
  );
});

describe('keyledger doctor beside a running service', () => {
  let backends: Backends;
  let service: ServiceProcess;

  beforeEach(async () => {
    backends = await freshBackends();
    service = await startService(backends.settings);
    await service.client.post('/v1/end-users', { user: 'ada' });
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  it('finds nothing wrong, names every part, and says what to do with each warning', async () => {
    const result = await keyledger(backends.settings, 'doctor', '--json');
    expect({ code: result.code, troubles: troubles(result) }).toEqual({ code: 0, troubles: [] });
    const parts = new Set(findings(result).map(({ part }) => part));
    const servers = [
      FORM === 'embedded' ? 'event log' : 'EventStoreDB',
      ...(FORM === 'cluster' ? ['MongoDB'] : []),
    ];
    expect([...parts]).toEqual(expect.arrayContaining(['settings', 'read models', ...servers]));
    for (const { state, todo } of findings(result)) expect(todo === null).toBe(state === 'ok');
    const people = await keyledger(backends.settings, 'doctor');
    expect(people.code).toBe(0);
    expect(people.stdout).toMatch(/^ok {4}read models {3}key-directory is up to date$/m);
  });

  allEmbedded.it('names the process that holds the data directory', async () => {
    const found = findings(await doctor(backends.settings)).map((finding) => finding.found);
    expect(found).toEqual(
      expect.arrayContaining([expect.stringContaining(`process ${service.child.pid} on `)]),
    );
  });

  allEmbedded.it('misses files that were taken from under the service', async () => {
    renameSync(join(backends.dataDir, 'events.db'), join(backends.dataDir, 'away'));
    const result = await doctor(backends.settings);
    expect(result.code).toBe(1);
    expect(troubles(result)).toEqual(
      expect.arrayContaining([expect.stringContaining('events.db was removed')]),
    );
  });

  allEmbedded.it('leaves the write-ahead log alone whose events.db was replaced', async () => {
    const [file, other] = ['events.db', 'other'].map((name) => join(backends.dataDir, name)) as [
      string,
      string,
    ];
    copyFileSync(file, other);
    renameSync(other, file);
    const { ino } = statSync(`${file}-wal`);
    const result = await doctor(backends.settings);
    expect(troubles(result)).toEqual([expect.stringContaining('events.db was replaced')]);
    expect(statSync(`${file}-wal`).ino).toBe(ino);
  });
});

allEmbedded.describe('keyledger doctor where no service runs', () => {
  let left: Backends;
  let backends: Backends;
  let elsewhere: ReturnType<typeof makeTempDirectory>;

  beforeAll(async () => {
    left = await freshBackends();
    const BOOTSTRAP_MANAGEMENT_KEY = mintKeyString('mk-v1-');
    const service = await startService({ ...left.settings, BOOTSTRAP_MANAGEMENT_KEY });
    await service.client.post('/v1/end-users', { user: 'ada' });
    await service.stop();
  });

  afterAll(() => left.dispose());

  beforeEach(async () => {
    backends = await freshBackends();
    cpSync(left.dataDir, backends.dataDir, { recursive: true });
    elsewhere = makeTempDirectory();
  });

  afterEach(async () => {
    elsewhere.remove();
    await backends.dispose();
  });

  it('changes nothing', async () => {
    const before = directoryBytes(backends.dataDir);
    expect(await doctor(backends.settings)).toMatchObject({ code: 0 });
    expect(directoryBytes(backends.dataDir).equals(before)).toBe(true);
  });

  it('finds that an older log is in the place of that of the read models', async () => {
    const other = await freshBackends();
    const account = ['--name', 'A', '--owner', 'ada'];
    expect(await keyledgerHere(other.settings, 'accounts', 'create', ...account)).toMatchObject({
      code: 0,
    });
    copyFileSync(join(other.dataDir, 'events.db'), join(backends.dataDir, 'events.db'));
    await other.dispose();
    const result = await doctor(backends.settings);
    expect(result.code).toBe(1);
    expect(troubles(result)).toEqual(
      expect.arrayContaining([
        expect.stringMatching(/read models: .* is stuck: its checkpoint .* is not in the log/),
      ]),
    );
  });

  it('finds events.db lost with its write-ahead log left', async () => {
    renameSync(join(backends.dataDir, 'events.db'), join(elsewhere.path, 'away'));
    writeFileSync(join(backends.dataDir, 'events.db-wal'), 'x');
    const result = await doctor(backends.settings);
    expect(result.code).toBe(1);
    expect(troubles(result)).toEqual([
      expect.stringMatching(/events\.db is gone, and .*-wal is left/),
    ]);
  });

  it('goes on after each fault: wrong settings, a damaged log, read models that cannot be read', async () => {
    const { code, ...rest } = await doctor({
      ...backends.settings,
      PORT: 'many',
      LOG_LEVEL: 'loud',
    });
    expect(code).toBe(1);
    expect(troubles({ code, ...rest })).toEqual([
      expect.stringMatching(/^settings: PORT: got "many"/),
      expect.stringMatching(/^settings: LOG_LEVEL: got "loud"/),
    ]);
    expect(findings({ code, ...rest }).map(({ part }) => part)).toEqual(
      expect.arrayContaining(['disk', 'event log', 'read models']),
    );
    writeFileSync(join(backends.dataDir, 'events.db'), 'no database');
    const damaged = await doctor(backends.settings);
    expect(damaged.code).toBe(1);
    expect(troubles(damaged)).toEqual([expect.stringMatching(/^event log: .*not a database/)]);
  });

  it.each<Readonly<Record<string, string>>>([
    { MONGODB_URI: 'mongo://ada:pw-of-ada@x' },
    { MONGODB_URI_FILE: '/nowhere/pw' },
    { MONGODB_URI_FILE: '/nowhere/pw', MONGODB_URI: 'mongodb://ada:pw-of-ada@x' },
  ])('shows no secret, and looks at no place that it does not know: %p', async (given) => {
    const result = await doctor({ ...backends.settings, ...given });
    expect(result.code).toBe(1);
    expect(result.stdout).not.toContain('pw-of-ada');
    expect(findings(result).every(({ part }) => part === 'settings')).toBe(true);
  });

  it('finds files that the user of the service cannot use', async () => {
    chmodSync(join(backends.dataDir, 'events.db'), 0o444);
    const result = await keyledgerThrough(
      boundByPermissions(),
      backends.settings,
      'doctor',
      '--json',
    );
    expect(result.code).toBe(1);
    expect(troubles(result)).toEqual([
      expect.stringMatching(/^disk: .*events\.db cannot be read and written/),
    ]);
  });
});

describe('keyledger doctor with nothing there', () => {
  let directory: ReturnType<typeof makeTempDirectory>;

  beforeEach(() => {
    directory = makeTempDirectory();
  });

  afterEach(() => {
    directory.remove();
  });

  it('says so, and makes nothing', async () => {
    const result = await doctor({ DATA_DIR: join(directory.path, 'none') });
    expect({ code: result.code, troubles: troubles(result) }).toEqual({ code: 0, troubles: [] });
    expect(findings(result).map(({ found }) => found)).toEqual(
      expect.arrayContaining([expect.stringContaining('there is no event log')]),
    );
    expect(directoryBytes(directory.path)).toHaveLength(0);
  });

  it('warns of settings that are allowed and seldom meant', async () => {
    const result = await doctor({
      DATA_DIR: directory.path,
      HOST: '0.0.0.0',
      TRUSTED_PROXIES: '0.0.0.0/0',
    });
    const warned = findings(result).filter(
      ({ part, state }) => part === 'settings' && state === 'warn',
    );
    expect(warned.map(({ found }) => found.split(' ')[0])).toEqual(
      expect.arrayContaining(['metrics', 'TRUSTED_PROXIES', 'RATE_LIMIT_WRITES']),
    );
    const taken = await doctor({ DATA_DIR: directory.path, PORT: '3000', OPERATIONS_PORT: '3000' });
    expect(troubles(taken)).toEqual(['settings: port 3000 is used twice']);
  });

  it('says that servers do not answer, within a bounded time', async () => {
    const result = await unanswered;
    expect(result.code).toBe(1);
    const failed = findings(result).filter(({ state }) => state === 'fail');
    expect(new Set(failed.map(({ part }) => part))).toEqual(new Set(['EventStoreDB', 'MongoDB']));
  });
});
