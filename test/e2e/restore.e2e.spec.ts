import {
  copyFileSync,
  existsSync,
  mkdirSync,
  readdirSync,
  readFileSync,
  renameSync,
  writeFileSync,
} from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, expect } from '@jest/globals';
import { mintKeyString } from '../../src/key-strings/key-string.js';
import { type Backends, FORM, freshBackends } from '../harness/backends.js';
import { keyledgerHere } from '../harness/command-in-process.js';
import { eventually } from '../harness/eventually.js';
import { onlyOn } from '../harness/only-on.js';
import { type ServiceProcess, startService } from '../harness/service-process.js';
import { storedEvents } from '../harness/stored-events.js';
import { makeTempDirectory } from '../harness/temp-directory.js';

const embedded = onlyOn('embedded', 'a log server has a backup of its own');

embedded.describe('keyledger restore', () => {
  let backends: Backends;
  let settings: Record<string, string>;
  let elsewhere: ReturnType<typeof makeTempDirectory>;
  let backups: string;
  let service: ServiceProcess;

  const inDataDir = (name: string): string => join(backends.dataDir, name);
  const files = (): string[] => readdirSync(backends.dataDir).sort();

  async function register(...users: readonly string[]): Promise<void> {
    for (const user of users) {
      expect(await service.client.post('/v1/end-users', { user })).toMatchObject({ status: 201 });
    }
    await eventually('the read models have them', async () => {
      const { body } = await service.client.get<{ data: { user: string }[] }>('/v1/end-users');
      return users.every((user) => body.data.some((row) => row.user === user));
    });
  }

  async function backUp(): Promise<string> {
    const { code, json, stderr } = await keyledgerHere(settings, 'backup', backups, '--json');
    expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
    return (json as { file: string }).file;
  }

  /** Moves the existing log away, like an operator before a restore. @returns its new directory. */
  function moveLogAway(): string {
    const away = join(elsewhere.path, 'away');
    mkdirSync(away);
    for (const name of files().filter((file) => file.startsWith('events.db'))) {
      renameSync(inDataDir(name), join(away, name));
    }
    return away;
  }

  beforeEach(async () => {
    backends = await freshBackends();
    settings = { ...backends.settings, BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-') };
    elsewhere = makeTempDirectory();
    backups = join(elsewhere.path, 'backups');
    service = await startService(settings);
    await register('ada');
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    elsewhere.remove();
    await backends.dispose();
  });

  embedded.it(
    'brings back what the newest backup has, and says how many events are gone',
    async () => {
      await backUp();
      await register('bob');
      const newest = await backUp();
      const { length } = await storedEvents(backends.settings);
      await register('carol', 'dave');
      await service.stop();
      moveLogAway();

      const { code, json, stderr } = await keyledgerHere(settings, 'restore', backups, '--json');
      expect({ code, stderr }).toEqual({ code: 0, stderr: '' });
      const { read_models_before: before, folded, ...told } = json as Record<string, unknown>;
      const stored = await storedEvents(backends.settings);
      expect(told).toEqual({
        file: newest,
        events: length,
        with_hash: length,
        without_hash: 0,
        log_id: stored[0]?.id,
        head: stored.at(-1)?.position,
        head_occurred_at: stored.at(-1)?.metadata.occurred_at,
        lost_events: 2,
        failed: [],
      });
      expect(folded).toHaveLength(4);
      if (FORM === 'embedded') {
        expect(before).toMatch(/read-models\.before-\d{8}T\d{6}\.\d{3}Z$/);
        expect(existsSync(String(before))).toBe(true);
      }
      expect(files()).not.toContain('events.db.restoring');
      expect(await keyledgerHere(settings, 'projections', 'verify', '--all')).toMatchObject({
        code: 0,
      });
      service = await startService(settings);
      const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
      expect(body.total_count).toBe(2);
      await register('eve');
    },
  );

  embedded.it('says for people what is lost', async () => {
    const file = await backUp();
    await register('bob');
    await service.stop();
    moveLogAway();
    const { code, stderr, stdout } = await keyledgerHere(settings, 'restore', file);
    expect(code).toBe(0);
    expect(stderr).toMatch(/^the log is restored: at least 1 events after its last one, of/);
    expect(stdout).toMatch(/^lost_events +1$/m);
  });

  embedded.it('refuses to overwrite a log, or a part of one, and changes nothing', async () => {
    await backUp();
    await service.stop('SIGKILL');
    for (const removed of [[], ['events.db']]) {
      for (const name of removed) renameSync(inDataDir(name), join(elsewhere.path, name));
      const before = files();
      const { code, stdout, stderr } = await keyledgerHere(settings, 'restore', backups);
      expect({ code, stdout }).toEqual({ code: 1, stdout: '' });
      expect(stderr).toContain('a restore never overwrites a log');
      expect(files()).toEqual(before);
    }
  });

  embedded.it('refuses while a service runs, also one whose log was taken away', async () => {
    await backUp();
    moveLogAway();
    const before = files();
    const { code, stderr } = await keyledgerHere(settings, 'restore', backups);
    expect(code).toBe(1);
    expect(stderr).toContain(`process ${service.child.pid}`);
    expect(files()).toEqual(before);
  });

  embedded.it(
    'refuses a damaged backup, and leaves the place empty and the read models',
    async () => {
      const file = await backUp();
      await service.stop();
      moveLogAway();
      const bytes = readFileSync(file);
      const at = bytes.indexOf('"user":"ada"');
      expect(at).toBeGreaterThan(0);
      bytes.write('"user":"eva"', at);
      writeFileSync(file, bytes);
      const before = files();
      const { code, stderr } = await keyledgerHere(settings, 'restore', backups);
      expect(code).toBe(1);
      expect(stderr).toContain(`the backup ${file} is damaged: 1 events do not match their hashes`);
      expect(files()).toEqual(before);
    },
  );

  embedded.it('takes the files of a log that was killed, both together', async () => {
    await register('bob');
    await service.stop('SIGKILL');
    const away = moveLogAway();
    const { code, json } = await keyledgerHere(
      settings,
      'restore',
      join(away, 'events.db'),
      '--json',
    );
    expect({ code, json }).toMatchObject({ code: 0, json: { lost_events: 0, failed: [] } });
    service = await startService(settings);
    const { body } = await service.client.get<{ total_count: number }>('/v1/end-users');
    expect(body.total_count).toBe(2);
  });

  embedded.it('does not guess between logs, nor where there is no backup', async () => {
    await backUp();
    await service.stop();
    moveLogAway();
    const nothing = await keyledgerHere(settings, 'restore', join(elsewhere.path, 'nothing'));
    expect(nothing).toMatchObject({
      code: 1,
      stderr: expect.stringContaining('there is no backup'),
    });
    const other = await freshBackends();
    const account = ['--name', 'A', '--owner', 'ada'];
    expect(await keyledgerHere(other.settings, 'accounts', 'create', ...account)).toMatchObject({
      code: 0,
    });
    expect(await keyledgerHere(other.settings, 'backup', backups)).toMatchObject({ code: 0 });
    await other.dispose();
    const { code, stderr } = await keyledgerHere(settings, 'restore', backups);
    expect(code).toBe(1);
    expect(stderr).toContain('backups of several logs');
  });

  embedded.it('of another log does not say that nothing is lost', async () => {
    await service.stop();
    moveLogAway();
    const other = await freshBackends();
    const account = ['--name', 'A', '--owner', 'ada'];
    expect(await keyledgerHere(other.settings, 'accounts', 'create', ...account)).toMatchObject({
      code: 0,
    });
    const file = join(elsewhere.path, 'other.db');
    copyFileSync(join(other.dataDir, 'events.db'), file);
    await other.dispose();
    const { code, json } = await keyledgerHere(settings, 'restore', file, '--json');
    expect({ code, json }).toMatchObject({ code: 0, json: { lost_events: null } });
  });
});
