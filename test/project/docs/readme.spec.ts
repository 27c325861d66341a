import { spawn } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { describe, expect, it } from '@jest/globals';
import {
  firstKeyText,
  firstRequestText,
} from '../../../src/features/accounts/first-start/first-start-texts.js';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';
import { runningApp } from '../../support/harness/running-app.js';
import { comparable } from './comparable.js';
import { blocksOf, read, section } from './markdown.js';
import { stepsOf, take } from './walk.js';

const readme = read('README.md');

const walk = stepsOf(section(readme, 'First steps'));
const shown = walk.flatMap((step) => (step.shown === undefined ? [] : [step.shown]));

/** Runs a script as if pasted into a shell, which goes on after a fault. @returns its output. */
async function inShell(script: string): Promise<string> {
  const { PATH } = process.env;
  const shell = spawn('sh', [], { env: { PATH }, stdio: ['pipe', 'pipe', 'inherit'] });
  let printed = '';
  shell.stdout.setEncoding('utf8').on('data', (text: string) => (printed += text));
  shell.stdin.end(script);
  await once(shell, 'close');
  return printed;
}

describe('README', () => {
  const service = runningApp();

  it('shows for each request the answer that a new service gives', async () => {
    const variables: Record<string, string> = {
      ADDRESS: service.address,
      KEY: service.managementKey,
      REPORT: randomUUID(),
    };
    const statuses: number[] = [];
    const answers: unknown[] = [];
    for (const step of walk) {
      const { status, body } = await take(step, variables);
      statuses.push(status);
      if (step.shown !== undefined) answers.push(body);
    }
    expect(statuses).toEqual([201, 201, 200, 201, 403, 201]);
    expect(answers).toHaveLength(6);
    expect(comparable(answers)).toEqual(comparable(shown));
  });

  it('shows what a first start prints', () => {
    const printed = `${firstKeyText('mk-v1-…')}${firstRequestText('http://127.0.0.1:3000')}`;
    const block = blocksOf(section(readme, 'Start')).find(({ text }) => text.includes('mk-v1-…'));
    expect(block).toBeDefined();
    const ready = /^\[.*\n +address: .*\n +console: .*\n/m;
    const lines = (block?.text ?? '')
      .replace(ready, '')
      .split('\n')
      .filter((line) => line !== '');
    for (const line of lines) expect(printed).toContain(line.replace(/ …$/, ''));
  });
});

onlyWhereInstalled('curl')('the walk of README', () => {
  const service = runningApp();

  it('can be pasted into a shell, from top to bottom', async () => {
    const blocks = blocksOf(section(readme, 'First steps')).filter(
      ({ language }) => language === 'sh',
    );
    const pasted = blocks
      .map(({ text }) => text)
      .join("printf '\\0'\n")
      .replace('KEY=mk-v1-…', `KEY=${service.managementKey}`)
      .replace('http://127.0.0.1:3000', service.address);
    const printed = (await inShell(pasted)).split('\0').filter((text) => text !== '');
    const answers = printed.map((text) => JSON.parse(text) as unknown);
    expect(answers).toHaveLength(walk.length);
    const compared = answers.filter((_, step) => walk[step]?.shown !== undefined);
    expect(comparable(compared)).toEqual(comparable(shown));
  });
});
