import { describe, expect, it } from '@jest/globals';
import { firstKeyAnnounced } from '../../src/accounts/first-start/first-key-announced.js';
import { TIME, UUID } from '../harness/forms.js';
import { HttpClient } from '../harness/http-client.js';
import { runningApp } from '../harness/running-app.js';
import { parseCurl } from './curl.js';
import { blocksOf, read, section } from './markdown.js';

const readme = read('README.md');

/** Each command of the walk with the answer that the README shows for it. */
function walk(): { command: string; shown: unknown }[] {
  const blocks = blocksOf(section(readme, 'A walk'));
  return blocks.flatMap(({ text }, index) => {
    const next = blocks[index + 1];
    if (!text.startsWith('curl')) return [];
    return [
      {
        command: text,
        shown: next?.language === 'json' ? (JSON.parse(next.text) as unknown) : undefined,
      },
    ];
  });
}

const KINDS: readonly (readonly [string, RegExp])[] = [
  ['hash', /^[0-9a-f]{64}$/],
  ['key string', /^sk-v1-(?:[0-9a-f]{64}|[0-9a-f]+…)$/],
  ['time', TIME],
  ['user', /^user-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['uuid', UUID],
];

/**
 * Makes answers of two services comparable: what differs from one to the next becomes its kind and, times apart,
 * a number that is the same wherever the value is.
 */
function comparable(answers: readonly unknown[]): unknown {
  const seen: string[] = [];
  const text = JSON.stringify(answers, (_, value: unknown) => {
    if (typeof value !== 'string') return value;
    const kind = KINDS.find(([, form]) => form.test(value))?.[0];
    if (kind === undefined || kind === 'time') return kind ?? value;
    if (!seen.includes(value)) seen.push(value);
    return `${kind} ${seen.indexOf(value)}`;
  });
  return JSON.parse(text) as unknown;
}

describe('README', () => {
  const service = runningApp();

  it('shows for each step of the walk the answer that a new service gives', async () => {
    const variables: Record<string, string> = {
      ADDRESS: service.address,
      KEY: service.managementKey,
    };
    const answers: unknown[] = [];
    for (const { command } of walk()) {
      const { method, url, headers, body } = parseCurl(command, variables);
      const path = url.replace(service.address, '');
      const answer = await new HttpClient(service.address).send<{ data: { hash?: string } }>(
        method,
        path,
        { headers, ...(body !== undefined && { body }) },
      );
      expect(answer.status).toBeLessThan(300);
      const { hash } = answer.body.data;
      if (hash !== undefined) variables.HASH = hash;
      answers.push(answer.body);
    }
    expect(answers).toHaveLength(4);
    expect(comparable(answers)).toEqual(comparable(walk().map(({ shown }) => shown)));
  });

  it('uses in its second step the hash that its first step shows', () => {
    const hash = /^HASH=(\w+)$/m.exec(readme)?.[1];
    expect(walk()[0]?.shown).toMatchObject({ data: { hash } });
  });

  it('shows what a first start prints', () => {
    const printed = firstKeyAnnounced('mk-v1-…', 'http://127.0.0.1:3000');
    const shown = blocksOf(section(readme, 'Start')).find(({ text }) => text.includes('mk-v1-…'));
    expect(shown).toBeDefined();
    const lines = (shown?.text ?? '').split('\n').filter((line) => line !== '');
    for (const line of lines) expect(printed).toContain(line.replace(/ …$/, ''));
  });

  it('prints at a first start a curl line that creates a key', async () => {
    const printed = firstKeyAnnounced(service.managementKey, service.address);
    const command = /^ *(curl .*)$/m.exec(printed)?.[1] ?? '';
    const { method, url, headers, body } = parseCurl(command, { KEY: service.managementKey });
    const response = await fetch(url, { method, headers, body: body ?? null });
    expect(response.status).toBe(201);
  });
});
