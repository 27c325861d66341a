import { execFileSync } from 'node:child_process';
import { chmodSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { makeTempDirectory } from '../../../test/support/harness/temp-directory.js';
import { faultsOf } from '../../../test/support/specs/faults-of-settings.js';
import { SECRETS } from './secret-files.js';
import { readSettings } from './settings.js';

const KEY = 'a-secret-of-thirty-two-characters';
const VALUES: Readonly<Record<(typeof SECRETS)[number], string>> = {
  BOOTSTRAP_MANAGEMENT_KEY: KEY,
  EVENTSTOREDB_CONNECTION_STRING: 'esdb://admin:hunter2@log.example:2113',
  MONGODB_URI: 'mongodb://root:hunter2@store.example/ledger',
};

describe('a secret in a file', () => {
  let directory: ReturnType<typeof makeTempDirectory>;

  beforeEach(() => {
    directory = makeTempDirectory();
  });

  afterEach(() => {
    directory.remove();
  });

  function fileWith(content: string | Uint8Array): string {
    const path = join(directory.path, 'secret');
    writeFileSync(path, content);
    return path;
  }

  it.each(SECRETS)('sets %s as its variable does, without one line break at the end', (name) => {
    const { [name]: value, ...others } = VALUES;
    const expected = readSettings({ ...others, [name]: value });
    for (const end of ['', '\n', '\r\n']) {
      const path = fileWith(value + end);
      expect(readSettings({ ...others, [`${name}_FILE`]: path })).toEqual(expected);
    }
  });

  it('is the whole content but for that line break', () => {
    for (const content of [`${KEY}\n\n`, ` ${KEY}`, `${KEY}\n${KEY}`]) {
      const path = fileWith(content);
      const [fault, ...others] = faultsOf({ BOOTSTRAP_MANAGEMENT_KEY_FILE: path });
      expect(fault).toContain(
        `BOOTSTRAP_MANAGEMENT_KEY_FILE: the file "${path}" holds a value that is not shown; takes 32`,
      );
      expect(fault).not.toContain(KEY);
      expect(others).toEqual([]);
    }
  });

  it('is found through a link, as in a mounted Secret', () => {
    const link = join(directory.path, 'link');
    symlinkSync(fileWith(KEY), link);
    const settings = readSettings({ BOOTSTRAP_MANAGEMENT_KEY_FILE: link });
    expect(settings.BOOTSTRAP_MANAGEMENT_KEY).toBe(KEY);
  });

  it.each(SECRETS)('beside %s itself is refused in one line that names both', (name) => {
    const both = { ...VALUES, [name]: VALUES[name], [`${name}_FILE`]: fileWith(VALUES[name]) };
    expect(faultsOf(both)).toEqual([
      `${name} and ${name}_FILE: both are set; only one of them may be`,
    ]);
  });

  it('counts as absent when its variable is empty, and so does the other form', () => {
    expect(readSettings({ MONGODB_URI_FILE: '' }).MONGODB_URI).toBeUndefined();
    const path = fileWith(VALUES.MONGODB_URI);
    expect(readSettings({ ...VALUES, MONGODB_URI: '', MONGODB_URI_FILE: path })).toMatchObject({
      MONGODB_URI: VALUES.MONGODB_URI,
    });
  });

  it.each([
    ['is missing', 'does not exist', () => undefined],
    ['is a directory', 'is not a regular file', (path: string) => mkdirSync(path)],
    ['is a pipe', 'is not a regular file', (path: string) => execFileSync('mkfifo', [path])],
    ['is empty', 'is empty', (path: string) => writeFileSync(path, '')],
    ['is a line break', 'is empty', (path: string) => writeFileSync(path, '\n')],
    ['goes through a file', 'cannot be read: ENOTDIR', (path: string) => writeFileSync(path, KEY)],
  ])('that %s stops the start with the variable and the path', (what, reason, make) => {
    const made = join(directory.path, 'secret');
    make(made);
    const path = what === 'goes through a file' ? join(made, 'below') : made;
    for (const name of SECRETS) {
      const faults = faultsOf({ [`${name}_FILE`]: path });
      expect(faults[0]).toBe(`${name}_FILE: the file "${path}" ${reason}`);
    }
  });

  (process.getuid?.() === 0 ? it.skip : it)('that may not be read stops the start', () => {
    const path = fileWith(KEY);
    chmodSync(path, 0);
    expect(faultsOf({ BOOTSTRAP_MANAGEMENT_KEY_FILE: path })).toEqual([
      `BOOTSTRAP_MANAGEMENT_KEY_FILE: the file "${path}" cannot be read: EACCES`,
    ]);
  });

  it('that cannot be read is its own fault, and none of what it is for', () => {
    const faults = faultsOf({ BOOTSTRAP_MANAGEMENT_KEY_FILE: '/nowhere' });
    expect(faults).toEqual(['BOOTSTRAP_MANAGEMENT_KEY_FILE: the file "/nowhere" does not exist']);
  });

  it.each([VALUES.MONGODB_URI, KEY, 'secret'])(
    'given in place of its path is not shown: %s',
    (value) => {
      expect(faultsOf({ BOOTSTRAP_MANAGEMENT_KEY_FILE: value })).toEqual([
        'BOOTSTRAP_MANAGEMENT_KEY_FILE: got a value that is not shown; takes a path that begins with / or ./',
      ]);
    },
  );
});
