import { compare } from '../comparison.js';
import type { Options } from '../options.js';
import type { ServerProcess } from '../processes.js';
import type { Measured } from '../report.js';

const LIMIT = 50;
const DEPTH = 1_000_000;
const GOAL = 1.5;

/** Measures a page at a great depth against the first page, both with the exact total. */
export async function deepPageRow(
  service: ServerProcess,
  key: string,
  options: Options,
): Promise<Measured> {
  const depth = Math.min(DEPTH, Math.max(0, options.endUsers - LIMIT));
  const pathOf = (offset: number): string =>
    `${service.address}/v1/end-users?limit=${LIMIT}&offset=${offset}`;
  for (const offset of [0, depth]) await expectExactPage(pathOf(offset), key, options.endUsers);
  const { ratio, first, second } = await compare(
    { url: pathOf(0), key, method: 'GET' },
    { url: pathOf(depth), key, method: 'GET' },
    options,
  );
  return {
    what: `page at offset ${depth} against offset 0, exact total_count in both`,
    result: ratio.toFixed(2),
    goal: `≤ ${GOAL}`,
    met: ratio <= GOAL,
    detail: `${second.toFixed(0)}/s against ${first.toFixed(0)}/s`,
  };
}

async function expectExactPage(url: string, key: string, atLeast: number): Promise<void> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  const page = (await response.json()) as { data: unknown[]; total_count: number };
  if (page.data.length !== Math.min(LIMIT, atLeast) || page.total_count < atLeast) {
    throw new Error(`${url} gave ${page.data.length} end users of ${page.total_count}`);
  }
}
