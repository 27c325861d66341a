import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { compare, type Comparison } from '../comparison.js';
import { buildKeyLog, listedKeys } from '../key-dataset.js';
import type { Options } from '../options.js';
import { type ServerProcess, startService } from '../processes.js';
import type { Measured } from '../report.js';

const LIMIT = 50;
const GOAL = 1.5;
const SCOPES = [
  { kind: 'workspace', query: '' },
  { kind: 'account', query: '&workspace_id=all' },
] as const;

/**
 * Measures the last page of keys against the first, with every second key disabled or deleted, in
 * one workspace and in all. The worse ratio counts. Uses a log of its own.
 */
export async function keysRow(key: string, options: Options): Promise<Measured> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-keys-'));
  try {
    await buildKeyLog(dataDir, key, options.keys);
    const service = await startService(dataDir, key);
    try {
      return await measured(service, key, options);
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function measured(service: ServerProcess, key: string, options: Options): Promise<Measured> {
  const comparisons: Comparison[] = [];
  const depths: number[] = [];
  for (const { kind, query } of SCOPES) {
    const total = listedKeys(options.keys, kind);
    const depth = Math.max(0, total - LIMIT);
    const urlOf = (offset: number): string =>
      `${service.address}/v1/keys?limit=${LIMIT}&offset=${offset}${query}`;
    for (const offset of [0, depth]) await expectExactPage(urlOf(offset), key, total);
    depths.push(depth);
    comparisons.push(
      await compare(
        { url: urlOf(0), key, method: 'GET' },
        { url: urlOf(depth), key, method: 'GET' },
        options,
      ),
    );
  }
  const worst = Math.max(...comparisons.map(({ ratio }) => ratio));
  const numbers = comparisons.map(
    ({ ratio, first, second }) =>
      `${ratio.toFixed(2)} (${second.toFixed(0)}/s against ${first.toFixed(0)}/s)`,
  );
  return {
    what: `keys at offset ${depths.join(' and ')} against offset 0, in one workspace and in all, half of ${options.keys} passed over`,
    result: worst.toFixed(2),
    goal: `≤ ${GOAL}`,
    met: worst <= GOAL,
    detail: numbers.join(' and '),
  };
}

async function expectExactPage(url: string, key: string, total: number): Promise<void> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  const page = (await response.json()) as { data: unknown[]; total_count: number };
  if (page.data.length !== Math.min(LIMIT, total) || page.total_count !== total) {
    throw new Error(`${url} gave ${page.data.length} keys of ${page.total_count}, not of ${total}`);
  }
}
