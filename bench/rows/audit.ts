import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { buildAuditLog, FILTERS } from '../audit-dataset.js';
import { compare, type Comparison } from '../comparison.js';
import type { Options } from '../options.js';
import { residentBytes, type ServerProcess, startService } from '../processes.js';
import type { Measured } from '../report.js';

const LIMIT = 50;
const GOAL = 1.5;
const MEGABYTE = 1_000_000;
const GOAL_BYTES = 200 * MEGABYTE;
const SAMPLE_EVERY_MS = 20;

/**
 * Measures audit pages at both ends with each filter, and a stream of the whole trail. Uses a log
 * of its own.
 */
export async function auditRows(key: string, options: Options): Promise<Measured[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-audit-'));
  try {
    const deep = await buildAuditLog(dataDir, key, options.auditEvents);
    // The replay runs in another process, so that its memory does not count for the streams.
    await (await startService(dataDir, key)).stop();
    const service = await startService(dataDir, key);
    try {
      return [
        await streamRow(service, key, options),
        await pageRow(service, key, deep, options),
        await filtersRow(service, key, deep, options),
      ];
    } finally {
      await service.stop();
    }
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
}

async function pageRow(
  service: ServerProcess,
  key: string,
  deep: string,
  options: Options,
): Promise<Measured> {
  const { ratio, first, second } = await bothEnds(service, key, '', deep, options);
  return {
    what: `audit trail of ${options.auditEvents} events: a page at its beginning against the newest one`,
    result: ratio.toFixed(2),
    goal: `≤ ${GOAL}`,
    met: ratio <= GOAL,
    detail: `${second.toFixed(0)}/s against ${first.toFixed(0)}/s`,
  };
}

async function filtersRow(
  service: ServerProcess,
  key: string,
  deep: string,
  options: Options,
): Promise<Measured> {
  const numbers: string[] = [];
  let worst = 0;
  for (const [name, query] of Object.entries(FILTERS)) {
    const ends = await bothEnds(service, key, query, deep, options);
    worst = Math.max(worst, ends.ratio);
    numbers.push(`${name} ${ends.ratio.toFixed(2)} (${ends.first.toFixed(0)}/s)`);
  }
  return {
    what: 'the same with each filter, the worst',
    result: worst.toFixed(2),
    goal: `≤ ${GOAL}`,
    met: worst <= GOAL,
    detail: numbers.join(', '),
  };
}

async function bothEnds(
  { address }: ServerProcess,
  key: string,
  query: string,
  deep: string,
  options: Options,
): Promise<Comparison> {
  const newest = `${address}/v1/audit-events?limit=${LIMIT}&${query}`;
  const urls = [newest, await behindFirst(`${newest}&to=${deep}`, key)];
  for (const url of urls) await expectFullPage(url, key);
  const [first, second] = urls.map((url) => ({ url, key, method: 'GET' as const }));
  if (!first || !second) throw new Error('a trail has two ends');
  return compare(first, second, options);
}

/** Gives the URL of the second page. */
async function behindFirst(url: string, key: string): Promise<string> {
  const { next_cursor } = await page(url, key);
  if (next_cursor === null) throw new Error(`${url} has no page behind it`);
  return `${url}&cursor=${next_cursor}`;
}

async function expectFullPage(url: string, key: string): Promise<void> {
  const { data } = await page(url, key);
  if (data.length !== LIMIT) throw new Error(`${url} gave ${data.length} events`);
}

async function page(
  url: string,
  key: string,
): Promise<{ data: readonly unknown[]; next_cursor: string | null }> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  return (await response.json()) as { data: unknown[]; next_cursor: string | null };
}

async function streamRow(
  { address, pid }: ServerProcess,
  key: string,
  { auditEvents }: Options,
): Promise<Measured> {
  let most = residentBytes(pid);
  const idle = most;
  const sample = setInterval(() => (most = Math.max(most, residentBytes(pid))), SAMPLE_EVERY_MS);
  try {
    const headers = { Authorization: `Bearer ${key}`, Accept: 'application/x-ndjson' };
    const started = performance.now();
    const { body } = await fetch(`${address}/v1/audit-events`, { headers });
    let lines = 0;
    for await (const chunk of body ?? []) {
      for (const byte of chunk as Uint8Array) if (byte === NEW_LINE) lines++;
    }
    const seconds = (performance.now() - started) / 1_000;
    if (lines < auditEvents) throw new Error(`the stream had ${lines} events`);
    return {
      what: `the audit trail of ${auditEvents} events as one stream: resident memory`,
      result: `${Math.round(most / MEGABYTE)} MB`,
      goal: '< 200 MB',
      met: most < GOAL_BYTES,
      detail: `${Math.round(lines / seconds)} events/s; ${Math.round(idle / MEGABYTE)} MB before`,
    };
  } finally {
    clearInterval(sample);
  }
}

const NEW_LINE = 10;
