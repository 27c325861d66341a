import { compare } from '../comparison.js';
import { setActive } from '../dataset.js';
import type { Options } from '../options.js';
import { startService } from '../processes.js';
import type { Measured } from '../report.js';

const LIMIT = 50;
const GOAL = 1.5;
/** The share of the first end users that are inactive in the second row. */
const MOST = 0.9;

const isEven = (ordinal: number): boolean => ordinal % 2 === 0;

/** Measures the last page against the first, with every second end user inactive. */
export async function halfInactiveRow(
  dataDir: string,
  key: string,
  options: Options,
): Promise<Measured> {
  await setActive(dataDir, key, false, options.endUsers, isEven);
  return lastPageRow(dataDir, key, options, {
    against: `?limit=${LIMIT}`,
    what: 'every second end user inactive: last page against the first',
  });
}

/**
 * Measures the last page behind all inactive end users, against a page without any. It must run
 * after the row above, because it begins with the inactive end users of that row.
 */
export async function behindInactiveRow(
  dataDir: string,
  key: string,
  options: Options,
): Promise<Measured> {
  const { endUsers } = options;
  const most = Math.floor(endUsers * MOST);
  const isOfMost = (ordinal: number): boolean => ordinal < most;
  await setActive(dataDir, key, false, endUsers, (it) => isOfMost(it) && !isEven(it));
  await setActive(dataDir, key, true, endUsers, (it) => !isOfMost(it) && isEven(it));
  return lastPageRow(dataDir, key, options, {
    against: `?limit=${LIMIT}&include_inactive=true`,
    what: `the first ${most} of ${endUsers} end users inactive: last page against the first one of all`,
  });
}

async function lastPageRow(
  dataDir: string,
  key: string,
  options: Options,
  { what, against }: { readonly what: string; readonly against: string },
): Promise<Measured> {
  const service = await startService(dataDir, key);
  try {
    const list = `${service.address}/v1/end-users`;
    const total = await totalOf(`${list}?limit=1`, key);
    const offset = Math.max(0, total - LIMIT);
    const { ratio, first, second } = await compare(
      { url: list + against, key, method: 'GET' },
      { url: `${list}?limit=${LIMIT}&offset=${offset}`, key, method: 'GET' },
      options,
    );
    return {
      what,
      result: ratio.toFixed(2),
      goal: `≤ ${GOAL}`,
      met: ratio <= GOAL,
      detail: `${second.toFixed(0)}/s at offset ${offset} against ${first.toFixed(0)}/s`,
    };
  } finally {
    await service.stop();
  }
}

async function totalOf(url: string, key: string): Promise<number> {
  const response = await fetch(url, { headers: { Authorization: `Bearer ${key}` } });
  return ((await response.json()) as { total_count: number }).total_count;
}
