import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { diskLibrary } from '../../test/support/disk/disk-library.js';
import { answered } from '../load.js';
import type { Options } from '../options.js';
import { startService } from '../processes.js';
import type { Measured } from '../report.js';
import { median, percentile } from '../statistics.js';
import { buildUsableKeys } from '../verification-dataset.js';
import { anotherAccount } from './verification.js';

const SYNCS_MS = [0, 5, 20];
const GOAL = 1.5;
const WRITES_PER_SECOND = 500;
const WRITERS = 64;
const VERIFICATIONS_PER_SECOND = 200;

/** Measures verifications beside writes on disks whose syncs take longer and longer. */
export async function slowDiskRow(key: string, options: Options): Promise<Measured> {
  const directory = mkdtempSync(join(tmpdir(), 'keyledger-bench-slow-disk-'));
  try {
    const library = diskLibrary(directory);
    const dataDir = join(directory, 'data');
    await buildUsableKeys(dataDir, key, options.keysInUse);
    const writer = await anotherAccount(dataDir);
    const times = new Map(SYNCS_MS.map((ms) => [ms, [] as number[]]));
    for (let round = 0; round < options.rounds; round++)
      for (const ms of SYNCS_MS) {
        const disk = { LD_PRELOAD: library, DISK_FILES: dataDir, DISK_SYNC_MS: String(ms) };
        const service = await startService(dataDir, key, disk);
        // The first load only warms up: code is compiled, and keys come into memory.
        await p99Beside(service.address, key, writer, options);
        times.get(ms)?.push(await p99Beside(service.address, key, writer, options));
        await service.stop();
      }
    const p99s = SYNCS_MS.map((ms) => median(times.get(ms) ?? []));
    const [fast = 0] = p99s;
    const worst = Math.max(...p99s) / fast;
    return {
      what: `p99 of ${VERIFICATIONS_PER_SECOND} verifications/s beside ${WRITES_PER_SECOND} writes/s, when each sync of the disk takes up to 20 ms longer`,
      result: worst.toFixed(2),
      goal: `≤ ${GOAL}`,
      met: worst <= GOAL,
      detail: SYNCS_MS.map((ms, index) => `${ms} ms: ${p99s[index]?.toFixed(1)} ms`).join(', '),
    };
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
}

async function p99Beside(
  address: string,
  key: string,
  writer: string,
  { seconds, connections, keysInUse }: Options,
): Promise<number> {
  const load = { method: 'POST' as const, seconds };
  const [{ times }] = await Promise.all([
    answered({
      ...load,
      url: `${address}/v1/keys/verify`,
      key,
      connections,
      keysInUse,
      perSecond: VERIFICATIONS_PER_SECOND,
    }),
    answered({
      ...load,
      url: `${address}/v1/end-users`,
      key: writer,
      connections: WRITERS,
      perSecond: WRITES_PER_SECOND,
    }),
  ]);
  return percentile(times, 0.99);
}
