import { spawnSync } from 'node:child_process';
import { cpSync, mkdirSync, symlinkSync, writeFileSync } from 'node:fs';
import { dirname, join, resolve } from 'node:path';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

/** A file that breaks a rule: its path and its import. */
const trespassers = [
  ['no-cycles', 'kernel/trespasser-1.ts', './trespasser-2.js'],
  ['kernel', 'kernel/trespasser.ts', 'zod'],
  ['direction-of-kernel', 'kernel/trespasser-3.ts', '../edge/command-line/error-in-words.js'],
  [
    'direction-of-event-sourcing',
    'event-sourcing/projections/trespasser-2.ts',
    '../../edge/command-line/error-in-words.js',
  ],
  ['direction-of-edge', 'edge/http/trespasser.ts', '../../features/keys/domain/key.js'],
  ['direction-of-features', 'features/keys/trespasser-6.ts', '../../host/settings/settings.js'],
  ['domain', 'features/keys/domain/trespasser-1.ts', 'node:fs'],
  ['domain', 'features/keys/domain/trespasser-2.ts', '@nestjs/common'],
  ['domain', 'features/keys/domain/trespasser-3.ts', '../../end-users/domain/end-user.js'],
  [
    'projection-folds',
    'features/keys/trespasser.projection.ts',
    '../../event-sourcing/read-store/read-store.js',
  ],
  ['adapters', 'event-sourcing/event-log/sqlite/trespasser.ts', '../../read-store/read-store.js'],
  ['sqlite-is-opened-once', 'event-sourcing/read-store/sqlite/trespasser.ts', 'better-sqlite3'],
  [
    'backends-are-named-once',
    'event-sourcing/projections/trespasser-1.ts',
    '../event-log/sqlite/sqlite-event-log.js',
  ],
  [
    'commands-never-read',
    'features/keys/trespasser.commands.ts',
    '../../event-sourcing/read-store/read-store.js',
  ],
  [
    'directories-never-see-the-log',
    'features/keys/key-directory/trespasser.ts',
    '../../../event-sourcing/event-log/event-log.js',
  ],
  [
    'verification-domain',
    'features/verification/domain/trespasser.ts',
    '../../accounts/domain/account.js',
  ],
  ['usage-domain', 'features/usage/domain/trespasser.ts', '../../accounts/domain/account.js'],
  ['features-are-apart', 'features/keys/trespasser.ts', '../accounts/domain/account.js'],
  ['features-are-apart', 'features/keys/trespasser-4.ts', '../audit-trail/audit-trail.module.js'],
  [
    'verification-knows-keys-and-accounts',
    'features/verification/trespasser.ts',
    '../keys/key-directory/key-directory.js',
  ],
  [
    'usage-asks-which-keys-exist',
    'features/usage/trespasser.ts',
    '../keys/key-directory/key-directory.js',
  ],
  ['audit-trail-domain', 'features/audit-trail/domain/trespasser.ts', '../../keys/domain/key.js'],
  [
    'audit-trail-only-reads',
    'features/audit-trail/trespasser.ts',
    '../../event-sourcing/event-log/event-log.js',
  ],
  ['metrics-are-named-once', 'edge/http/trespasser-3.ts', 'prom-client'],
  ['no-test-code', 'host/process/trespasser-1.ts', '../../../test/trespassed.js'],
  ['no-test-code', 'host/process/trespasser-2.ts', '../../../bench/trespassed.js'],
  ['only-what-is-declared', 'edge/http/trespasser-2.ts', 'fast-check'],
  ['console-is-built-from-what-is-declared', 'console/trespasser-1.ts', 'react'],
  ['console-is-apart', 'console/trespasser-2.tsx', '../kernel/errors.js'],
  ['nobody-imports-the-console', 'host/process/trespasser-3.ts', '../../console/frame/page.js'],
] as const;

/** Files that some rule breakers import, with their content. */
const accomplices = [
  ['src/kernel/trespasser-2.ts', "import './trespasser-1.js';\n"],
  ['test/trespassed.ts', 'export {};\n'],
  ['bench/trespassed.ts', 'export {};\n'],
] as const;

describe('the import fences', () => {
  const copy = makeTempDirectory();
  let report = '';

  beforeAll(() => {
    cpSync('src', join(copy.path, 'src'), { recursive: true });
    for (const file of ['package.json', 'tsconfig.json', '.dependency-cruiser.cjs']) {
      cpSync(file, join(copy.path, file));
    }
    symlinkSync(resolve('node_modules'), join(copy.path, 'node_modules'));
    for (const [, file, imported] of trespassers) {
      writeFileSync(join(copy.path, 'src', file), `import '${imported}';\n`);
    }
    for (const [file, text] of accomplices) {
      mkdirSync(join(copy.path, dirname(file)), { recursive: true });
      writeFileSync(join(copy.path, file), text);
    }
    report = cruise(copy.path);
  });

  afterAll(() => {
    copy.remove();
  });

  it.each(trespassers)('catch by the rule %s that %s imports %s', (rule, file, _imported) => {
    expect(report).toContain(`error ${rule}: src/${file} `);
  });
});

function cruise(directory: string): string {
  const command = resolve('node_modules/dependency-cruiser/bin/dependency-cruise.mjs');
  const args = [command, 'src', '--config', '.dependency-cruiser.cjs'];
  const { stdout, stderr } = spawnSync(process.execPath, args, {
    cwd: directory,
    encoding: 'utf8',
  });
  return stdout + stderr;
}
