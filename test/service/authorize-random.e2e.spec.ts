import { beforeAll, describe, expect, it } from '@jest/globals';
import fc from 'fast-check';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { createKey } from '../support/harness/api-keys.js';
import { sendRaw } from '../support/harness/raw-http.js';
import { runningApp } from '../support/harness/running-app.js';

type Named = readonly (readonly [name: string, value: string])[];

interface Question {
  readonly method: string;
  /** The part of the target behind `/v1/authorize`. The query follows if there are parameters. */
  readonly below: string;
  readonly parameters: Named;
  readonly headers: Named;
}

const OPTION_VALUES = ['home', 'elsewhere', '', '402', '403', '429', '1', '%zz', 'home,home'];
const optionValue = fc.constantFrom(...OPTION_VALUES);
const parameter = fc.tuple(fc.constantFrom('workspace_id', 'limit_status', 'x'), optionValue);
const optionHeader = fc.tuple(
  fc.constantFrom('Keyledger-Require-Workspace', 'keyledger-limit-status'),
  optionValue,
);
const keyHeader = fc.constantFrom(
  ...(['usable', 'spent', 'unknown', 'x', ''] as const).flatMap((key): Named => [
    ['Authorization', `Bearer ${key}`],
    ['Authorization', `Basic ${key}`],
    ['X-API-Key', key],
  ]),
);
const gatewayHeader = fc.constantFrom<Named[number]>(
  ['Keyledger-Authorization', 'Bearer gateway'],
  ['Keyledger-Authorization', 'Bearer gateway'],
  ['Keyledger-Authorization', 'Bearer unknown'],
);
const question: fc.Arbitrary<Question> = fc.record({
  method: fc.constantFrom('GET', 'POST', 'OPTIONS'),
  below: fc.constantFrom('', '/', '/%zz', '/a/../..', '//'),
  parameters: fc.array(parameter, { maxLength: 2 }),
  headers: fc
    .tuple(
      fc.array(gatewayHeader, { minLength: 0, maxLength: 1 }),
      fc.array(fc.oneof({ weight: 2, arbitrary: keyHeader }, optionHeader), { maxLength: 3 }),
    )
    .map(([gateway, others]) => [...gateway, ...others]),
});

function valuesOf(all: Named, wanted: string): string[] {
  return all.filter(([name]) => name.toLowerCase() === wanted).map(([, value]) => value);
}

/** Gives the expected status by the rules of docs/api.md 12.4, one after another. */
function statusOf({ below, parameters, headers }: Question): number {
  const [gateway] = valuesOf(headers, 'keyledger-authorization');
  if (gateway !== 'Bearer gateway') return 403;
  const inHeaders = ['keyledger-require-workspace', 'keyledger-limit-status'];
  const stated = inHeaders.map((name) => valuesOf(headers, name));
  const asked = ['workspace_id', 'limit_status'].map((name) => valuesOf(parameters, name));
  if (below === '' && valuesOf(parameters, 'x').length > 0) return 400;
  const options = below === '' ? asked : stated;
  if (options.some((values) => values.length > 1 || values.includes(''))) return 400;
  if (below === '' && options.flat().includes('%zz')) return 400;
  const [[workspace] = [], [limit = '403'] = []] = options;
  if (!['402', '403', '429'].includes(limit)) return 400;
  const keyHeaders = ['authorization', 'x-api-key'].map((name) => valuesOf(headers, name));
  if (keyHeaders.some((values) => values.length > 1)) return 401;
  const [[authorization = ''] = [], [apiKey = ''] = []] = keyHeaders;
  const bearer = /^Bearer (.+)$/.exec(authorization)?.[1];
  const key = bearer ?? apiKey;
  if (!['usable', 'spent'].includes(key)) return 401;
  if (workspace !== undefined && workspace !== 'home') return 403;
  return key === 'usable' ? 200 : Number(limit);
}

describe('any question to /v1/authorize', () => {
  const service = runningApp();
  /** The values that replace the words in a request. */
  let words: ReadonlyMap<string, string>;

  beforeAll(async () => {
    const { client, managementKey, defaultWorkspaceId } = await service.openAccount();
    words = new Map([
      ['usable', (await createKey(client)).key],
      ['spent', (await createKey(client, { limit: 0 })).key],
      ['unknown', mintKeyString('sk-v1-')],
      ['gateway', managementKey],
      ['home', defaultWorkspaceId],
    ]);
  });

  it('is answered as the rules say, and never with 200 by mistake', async () => {
    const said = (text: string): string =>
      text.replace(/usable|spent|unknown|gateway|home/g, (word) => words.get(word) ?? '');
    await fc.assert(
      fc.asyncProperty(question, async (asked) => {
        const query = asked.parameters.map(([name, value]) => `${name}=${said(value)}`).join('&');
        const lines = asked.headers.map(([name, value]) => `${name}: ${said(value)}\r\n`).join('');
        const path = `/v1/authorize${asked.below}${query === '' ? '' : '?'}${query}`;
        const { status } = await sendRaw(
          service.address,
          `${asked.method} ${path} HTTP/1.1\r\nHost: a\r\nConnection: close\r\n${lines}\r\n`,
        );
        expect(status).toBe(statusOf(asked));
      }),
      { numRuns: 500 },
    );
  }, 60_000);
});
