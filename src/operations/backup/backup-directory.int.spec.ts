import { mkdirSync, mkdtempSync, readdirSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { BackupDirectory } from './backup-directory.js';

describe('a directory of backups', () => {
  let path: string;

  beforeEach(() => {
    path = mkdtempSync(join(tmpdir(), 'keyledger-'));
  });

  afterEach(() => {
    rmSync(path, { recursive: true });
  });

  const made = (day: string): string => {
    const file = join(path, `keyledger-${day}T000000.000Z.db`);
    writeFileSync(file, '');
    return file;
  };

  it('refuses what has no room on its disk', () => {
    const directory = new BackupDirectory(path);
    expect(() => directory.requireRoom(Number.MAX_SAFE_INTEGER)).toThrow(/needs \d+ bytes, and/);
    expect(() => directory.requireRoom(1)).not.toThrow();
  });

  it('lists finished backups, the newest first, and nothing else', () => {
    const [older, newer] = [made('20260105'), made('20260106')];
    mkdirSync(join(path, 'keyledger-20260107T000000.000Z.db'));
    writeFileSync(join(path, 'keyledger-20260108T000000.000Z.db.unfinished'), '');
    writeFileSync(join(path, 'events.db'), '');
    expect(new BackupDirectory(path).finished()).toEqual([newer, older]);
  });

  it('keeps the newest one also where a clock went back', () => {
    const [first, second, third] = [made('20260105'), made('20260106'), made('20260107')];
    const directory = new BackupDirectory(path);
    expect(directory.removeOlder(first, 2, () => true)).toEqual([second]);
    expect(directory.finished()).toEqual([third, first]);
  });

  it('keeps a file that it cannot look into', () => {
    const [older, newer] = [made('20260105'), made('20260106')];
    const unreadable = (): boolean => {
      throw new Error('malformed');
    };
    expect(new BackupDirectory(path).removeOlder(newer, 1, unreadable)).toEqual([]);
    expect(new BackupDirectory(path).finished()).toEqual([newer, older]);
  });

  it('has a backup under its name only when it is finished, and none that was discarded', () => {
    const directory = new BackupDirectory(path);
    const backup = directory.begin(new Date('2026-01-05T09:15:00.123Z'));
    expect(directory.finished()).toEqual([]);
    expect(backup.finish()).toBe(join(path, 'keyledger-20260105T091500.123Z.db'));
    directory.begin(new Date('2026-01-06T09:15:00.123Z')).discard();
    expect(readdirSync(path)).toEqual(['keyledger-20260105T091500.123Z.db']);
    expect(() => directory.begin(new Date('2026-01-05T09:15:00.123Z'))).toThrow('exists already');
  });
});
