import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { NAME } from '../../../src/kernel/version.js';
import { runningApp, startApp } from '../../support/harness/running-app.js';
import { environmentOf, execForm, readStages, textsOf } from './dockerfile.js';
import { exitCode } from './exit-code.js';
import { settingNames } from './setting-names.js';

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly description: string;
  readonly license: string;
};

const stages = readStages();
const image = stages.at(-1);
const copies = stages.flatMap((stage) => textsOf(stage, 'COPY'));

describe('the image', () => {
  it('runs as a user that is named by number and is not root', () => {
    expect(textsOf(image, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  });

  it('has labels that say the same as package.json and LICENSE', () => {
    const labels = textsOf(image, 'LABEL').flatMap((text) => [
      ...text.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
    ]);
    expect(Object.fromEntries(labels.map(([, name, value]) => [name, value]))).toEqual({
      title: NAME,
      description: PACKAGE.description,
      version: PACKAGE.version,
      licenses: `LicenseRef-${PACKAGE.license}`,
    });
    expect(readFileSync('LICENSE', 'utf8')).toMatch(/no rights .* are granted/);
    expect(PACKAGE.license).toBe('UNLICENSED');
  });

  it('has Node as process 1, so that signals reach it', () => {
    expect(textsOf(image, 'ENTRYPOINT').map(execForm)).toEqual([['node']]);
    expect(textsOf(image, 'CMD').map(execForm)).toEqual([['dist/main.js']]);
  });

  it('sets nothing but settings, what Node is told, and where SQLite sorts', () => {
    const { NODE_ENV, SQLITE_TMPDIR, ...settings } = environmentOf(image);
    expect(NODE_ENV).toBe('production');
    expect(SQLITE_TMPDIR).toBe(settings.DATA_DIR);
    expect(settingNames()).toEqual(expect.arrayContaining(Object.keys(settings)));
  });

  it('listens where a caller outside the container reaches it, on the port that it names', () => {
    const { HOST, PORT } = environmentOf(image);
    expect(HOST).toBe('0.0.0.0');
    expect(textsOf(image, 'EXPOSE')).toEqual([PORT]);
  });

  it('has the packages that run it, and none that only build it', () => {
    const installing = stages.find((stage) =>
      textsOf(stage, 'FROM')[0]?.endsWith('AS dependencies'),
    );
    expect(textsOf(installing, 'RUN').join(' ')).toMatch(/npm ci --omit=dev --omit=optional /);
    const modules = copies.filter((text) => text.includes('node_modules'));
    expect(modules).toEqual(['--from=dependencies /app/node_modules ./node_modules']);
  });

  it('is made from bases of one exact version of Node, either of which may be replaced', () => {
    const bases = textsOf(stages[0], 'ARG').map(
      (text) => /^(\w+)=\S+\/node:(.+)$/.exec(text) ?? [],
    );
    expect(bases.map(([, name]) => name)).toEqual(['BUILD_IMAGE', 'NODE_IMAGE']);
    const versions = bases.map(([, , tag]) => tag?.replace(/-slim$/, ''));
    expect(versions[0]).toMatch(/^\d+\.\d+\.\d+-\w+$/);
    expect(versions[1]).toBe(versions[0]);
    const from = stages.flatMap((stage) => textsOf(stage, 'FROM'));
    for (const base of from) expect(base).toMatch(/^\$\{(?:BUILD|NODE)_IMAGE\}/);
  });

  it('can hold only what the build copies by name: the rest of the directory never reaches it', () => {
    const taken = copies
      .filter((text) => !text.startsWith('--from='))
      .flatMap((text) => text.split(' ').slice(0, -1));
    const rules = readFileSync('.dockerignore', 'utf8').split('\n').filter(Boolean);
    const [first, ...others] = rules.filter((rule) => !rule.startsWith('#'));
    expect(first).toBe('*');
    const letIn = others.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(new Set(letIn)).toEqual(new Set(taken));
    for (const path of letIn)
      expect(path).toMatch(
        /^(?:package|package-lock|tsconfig|nest-cli)\.json$|^rspack\.config\.js$|^LICENSE$|^src$/,
      );
  });
});

describe('the health check of the image', () => {
  const text = textsOf(image, 'HEALTHCHECK')[0] ?? '';
  const command = execForm(text.slice(text.indexOf('[')));
  const service = runningApp();

  it('passes while the service lives, and fails once it is gone', async () => {
    expect(await exitCode(command, { PORT: new URL(service.address).port })).toBe(0);
    const gone = await startApp();
    const goneFrom = new URL(gone.address).port;
    await gone.stop();
    expect(await exitCode(command, { PORT: goneFrom })).toBe(1);
  });

  it('asks the port of the operators where there is one', async () => {
    const OPERATIONS_PORT = new URL(service.address).port;
    expect(await exitCode(command, { PORT: '1', OPERATIONS_PORT })).toBe(0);
    expect(await exitCode(command, { PORT: OPERATIONS_PORT, OPERATIONS_PORT: '' })).toBe(0);
  });

  it('asks whether the process lives, as a server that is away is not mended by another start', () => {
    expect(command.join(' ')).toContain('/health/live');
    expect(command.join(' ')).not.toContain('/health/ready');
  });
});
