import { describe, expect, it } from '@jest/globals';
import { firstKeyAnnounced } from '../../src/accounts/first-start/first-key-announced.js';
import { runningApp } from '../harness/running-app.js';
import { comparable } from './comparable.js';
import { parseCurl } from './curl.js';
import { blocksOf, read, section } from './markdown.js';
import { stepsOf, take } from './walk.js';

const readme = read('README.md');

const walk = stepsOf(section(readme, 'A walk'));

describe('README', () => {
  const service = runningApp();

  it('shows for each step of the walk the answer that a new service gives', async () => {
    const variables: Record<string, string> = {
      ADDRESS: service.address,
      KEY: service.managementKey,
    };
    const answers: unknown[] = [];
    for (const step of walk) {
      const { status, body } = await take(step, variables);
      expect(status).toBeLessThan(300);
      if (step.shown !== undefined) answers.push(body);
    }
    expect(answers).toHaveLength(6);
    const shown = walk.flatMap((step) => (step.shown === undefined ? [] : [step.shown]));
    expect(comparable(answers)).toEqual(comparable(shown));
  });

  it('asks whether the key may be used, disables it, and asks again', () => {
    const codes = walk.flatMap(({ command, shown }) =>
      command.includes('/v1/keys/verify') ? [shown] : [],
    );
    expect(codes).toMatchObject([
      { data: { valid: true, code: 'VALID' } },
      { data: { valid: false, code: 'DISABLED' } },
    ]);
  });

  it('uses in its second step the hash that its first step shows', () => {
    const hash = /^HASH=(\w+)$/m.exec(readme)?.[1];
    expect(walk[0]?.shown).toMatchObject({ data: { hash } });
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
