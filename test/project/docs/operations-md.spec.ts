import { mkdirSync, readdirSync } from 'node:fs';
import { join } from 'node:path';
import { describe, expect, it } from '@jest/globals';
import { replaced } from '../deploy/proxy.js';
import { settingNames } from '../deploy/setting-names.js';
import { keyledgerHere } from '../../support/harness/command-in-process.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { commandsOf, run } from './commands.js';
import { read } from './markdown.js';

const FOLDER = 'docs/operations';
const documents = readdirSync(FOLDER, { recursive: true, encoding: 'utf8' })
  .filter((file) => file.endsWith('.md'))
  .map((file) => [file, read(join(FOLDER, file))] as const);

describe('docs/operations', () => {
  it('backs up an embedded log by the command that it gives', async () => {
    const directory = makeTempDirectory();
    try {
      const settings = { DATA_DIR: join(directory.path, 'data') };
      const account = ['--name', 'A', '--owner', 'ada'];
      expect(await keyledgerHere(settings, 'accounts', 'create', ...account)).toMatchObject({
        code: 0,
      });
      const [command = ''] = commandsOf('docs/operations/backup.md');
      const backups = join(directory.path, 'backups');
      mkdirSync(backups);
      const here = replaced(command, [['/var/backups/keyledger', backups]]);
      expect(await run(here, settings)).toMatchObject({ code: 0 });
      const [backup = ''] = readdirSync(backups);
      expect(readdirSync(join(backups, backup))).toEqual(['events.db', 'usage.db']);
    } finally {
      directory.remove();
    }
  });

  it('names settings that exist', () => {
    const named = documents.flatMap(
      ([, text]) =>
        text.match(/\b(?:MONGODB|EVENTSTOREDB|BOOTSTRAP|READ_YOUR|SHUTDOWN)_[A-Z_]+/g) ?? [],
    );
    expect(named.length).toBeGreaterThan(0);
    expect(settingNames()).toEqual(expect.arrayContaining([...new Set(named)]));
  });
});
