import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { afterAll, describe, expect, it } from '@jest/globals';
import { formOf, hashKeyString } from '../../../src/kernel/key-string.js';
import { createKey, type OneKey } from '../../support/harness/api-keys.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { reportUsage } from '../../support/harness/report-usage.js';
import { accountOfEach, runningApp } from '../../support/harness/running-app.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { makeWorkspace } from '../../support/harness/workspaces.js';
import { commandsIn } from './commands.js';
import { blocksOf, read, section } from './markdown.js';

const guide = read('docs/guides/manage-keys.md');
const DAY_MS = 86_400_000;

function blockOf(title: string, language: string): string {
  const found = blocksOf(section(guide, title)).filter((block) => block.language === language);
  return found.map(({ text }) => text).join('\n');
}

const MINT = 'Make the key string yourself';
const MOVE = 'Move here from another service';

/** Expects a line with a key string and its hash. */
function expectMinted(lines: readonly string[]): void {
  const [key = '', hash = ''] = lines.join().split(' ');
  expect(formOf(key)).toBe('api-key');
  expect(hashKeyString(key)).toBe(hash);
}

describe('docs/guides/manage-keys.md', () => {
  const service = runningApp({ FOREIGN_KEYS: 'on' });
  const account = accountOfEach(service);
  const directory = makeTempDirectory();

  afterAll(() => directory.remove());

  /** Runs a script of the guide. @returns the lines that it prints. */
  async function runScript(title: string, more: Readonly<Record<string, string>> = {}) {
    const file = join(directory.path, 'script.mjs');
    writeFileSync(file, blockOf(title, 'js'));
    return printedBy(process.execPath, [file], more);
  }

  async function printedBy(
    program: string,
    args: readonly string[],
    more: Readonly<Record<string, string>> = {},
  ): Promise<string[]> {
    const { PATH = '' } = process.env;
    const env = { PATH, ADDRESS: service.address, KEY: account.managementKey, ...more };
    const cwd = directory.path;
    const child = spawn(program, args, { env, cwd, stdio: ['ignore', 'pipe', 'inherit'] });
    let printed = '';
    child.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
    const [code] = (await once(child, 'close')) as [number];
    expect(code).toBe(0);
    return printed.split('\n').filter((line) => line !== '');
  }

  async function codeOf(key: string): Promise<string> {
    const { body } = await account.client.post<{ data: { code: string } }>('/v1/keys/verify', {
      key,
    });
    return body.data.code;
  }

  it('makes a key string in Node', async () => {
    const print = 'const { key, hash } = mint(); console.log(`${key} ${hash}`);';
    writeFileSync(join(directory.path, 'mint.mjs'), `${blockOf(MINT, 'js')}\n${print}`);
    expectMinted(await printedBy(process.execPath, ['mint.mjs']));
  });

  onlyWhereInstalled('python3')('with Python', () => {
    it('makes a key string', async () => {
      const script = `${blockOf(MINT, 'python')}\nprint(*mint())`;
      expectMinted(await printedBy('python3', ['-c', script]));
    });
  });

  it('announces each key that expires soon once, in pages, and goes on where it ended', async () => {
    const inDays = (days: number): string => new Date(Date.now() + days * DAY_MS).toISOString();
    const { client } = account;
    const made = async (days: number) =>
      (await createKey(client, { name: `${days}`, expires_at: inDays(days) })).data;
    for (let count = 0; count < 101; count += 1) await made(2);
    const soon = await made(6.5);
    await made(-1);
    await made(9);
    await createKey(client);
    const announced = (): Promise<string[]> => runScript('Announce that keys expire soon');
    const first = await announced();
    expect(first).toHaveLength(102);
    expect(first.at(-1)).toBe(`6.5 ${soon.hash} ${soon.expires_at}`);
    expect(await announced()).toEqual([]);
    // As if the last run was yesterday.
    writeFileSync(join(directory.path, 'announced-until.txt'), inDays(6));
    expect(await announced()).toEqual([first.at(-1)]);
  });

  it('disables every key of a customer, and no other', async () => {
    const { client } = account;
    const workspace_id = await makeWorkspace(service, account);
    const external = { user: 'a/b & c' };
    for (let count = 0; count < 101; count += 1) await createKey(client, { external });
    const away = await createKey(client, { external, workspace_id });
    const other = await createKey(client, { external: { user: 'a/b' } });
    await runScript('Cut a customer off', { CUSTOMER: external.user });
    expect(await codeOf(away.key)).toBe('DISABLED');
    expect(await codeOf(other.key)).toBe('VALID');
    const left = await client.get<{ total_count: number }>('/v1/keys?workspace_id=all');
    expect(left.body.total_count).toBe(1);
  });

  onlyWhereInstalled('curl')('with curl', () => {
    it('makes a key string in a shell, and a key of it', async () => {
      const script = `${blockOf(MINT, 'sh')}\necho; echo "$API_KEY $HASH"`;
      const [created = '', minted = ''] = await printedBy('sh', ['-ec', script]);
      expectMinted([minted]);
      const [key = '', hash = ''] = minted.split(' ');
      expect(JSON.parse(created)).toMatchObject({ data: { hash, name: 'customer 42' } });
      expect(await codeOf(key)).toBe('VALID');
    });

    it('replaces a leaked string of a key, which keeps its usage and its limit', async () => {
      const { data, key } = await createKey(account.client, { limit: 5 });
      await reportUsage(account.client, { key_hash: data.hash, cost: 2 });
      const variables = { HASH: data.hash, LEAKED_HASH: data.hash, LEAKED_KEY: key };
      const [mint = ''] = commandsIn(section(guide, MINT));
      const [add = '', end = '', verify = '', spent = ''] = commandsIn(
        section(guide, 'A key has leaked'),
      );
      const script = [mint, `HASH=${data.hash}`, add, 'echo; echo "$NEW_KEY"', verify, end, 'echo'];
      const printed = await printedBy(
        'sh',
        ['-ec', [...script, verify, spent].join('\n')],
        variables,
      );
      const [added, , before, meanwhile, ended, after, now, activity] = printed.map((line) =>
        line.startsWith('{') ? (JSON.parse(line) as unknown) : line,
      );
      expect(added).toMatchObject({ data: { hash: data.hash, limit_remaining: 3 } });
      const left = (code: string) => ({ data: { code, key: { hash: data.hash } } });
      expect([before, meanwhile]).toMatchObject([left('VALID'), left('VALID')]);
      expect(ended).toEqual({ deleted: true });
      expect([after, now]).toMatchObject([left('ROTATED'), left('VALID')]);
      expect(activity).toMatchObject({ data: [{ api_key_hash: data.hash, usage: 2 }] });
    });

    it('moves keys here by the hashes of their strings, as often as it is run', async () => {
      const strings = ['first', 'second'].map((name) => `other_${name}_${randomUUID()}`);
      const lines = strings.map((one, nth) => `${hashKeyString(one)},customer ${nth},25\n`);
      const file = join(directory.path, 'keys.csv');
      writeFileSync(file, lines.join(''));
      const [create = '', verify = ''] = commandsIn(section(guide, MOVE));
      const [STRING = ''] = strings;
      for (const _ of ['new', 'again']) {
        const printed = await printedBy('sh', ['-ec', `${create}\n${verify}`], { STRING });
        expect(printed).toHaveLength(1);
        expect(JSON.parse(printed.join())).toMatchObject({
          data: {
            code: 'VALID',
            key: { hash: hashKeyString(STRING), name: 'customer 0', limit: 25 },
          },
        });
      }
      expect(await codeOf(strings[1] ?? '')).toBe('VALID');
      writeFileSync(file, lines.join('').replaceAll(',25\n', ',26\n'));
      const [refused = ''] = await printedBy('sh', ['-ec', create]);
      expect(refused).toContain('key-differs');
    });

    it('gives a customer more time', async () => {
      const { data, key } = await createKey(account.client, {
        expires_at: '2001-01-01T00:00:00Z',
      });
      expect(await codeOf(key)).toBe('EXPIRED');
      const command = blockOf('Announce that keys expire soon', 'sh');
      const printed = await printedBy('sh', ['-ec', command], { HASH: data.hash });
      expect(JSON.parse(printed.join()) as OneKey).toMatchObject({
        data: { hash: data.hash, expires_at: '2099-01-01T00:00:00.000Z' },
      });
      expect(await codeOf(key)).toBe('VALID');
    });
  });
});
