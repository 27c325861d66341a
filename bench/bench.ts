import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKeyString } from '../src/kernel/key-string.js';
import { buildLog } from './dataset.js';
import { type Options, readOptions, type RowName, USAGE } from './options.js';
import { type ServerProcess, startService } from './processes.js';
import { describeRun, type Measured, tableOf } from './report.js';
import { listRow, registerRow } from './rows/against-baseline.js';
import { deepPageRow } from './rows/deep-page.js';
import { auditRows } from './rows/audit.js';
import { behindInactiveRow, halfInactiveRow } from './rows/inactive.js';
import { keysRow } from './rows/keys.js';
import { memoryRow } from './rows/memory.js';
import { replayRow } from './rows/replay.js';
import { serverRows } from './rows/servers.js';
import { slowDiskRow } from './rows/slow-disk.js';
import { startRows } from './rows/start.js';
import { usageMemoryRow, usageRows } from './rows/usage.js';
import { verificationRows } from './rows/verification.js';

type ServedRow = (service: ServerProcess, key: string, options: Options) => Promise<Measured>;

/** Rows that write come last, so that the others find exactly the requested number of end users. */
const SERVED_ROWS: readonly (readonly [RowName, ServedRow])[] = [
  ['deep-page', deepPageRow],
  ['list', listRow],
  ['memory', memoryRow],
  ['register', registerRow],
];

async function run(options: Options): Promise<boolean> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-'));
  const key = mintKeyString('mk-v1-');
  const results: Measured[] = [];
  const description = describeRun(options);
  const measure = async (
    name: RowName,
    rows: () => Promise<Measured | Measured[]>,
  ): Promise<void> => {
    if (!options.rows.includes(name)) return;
    say(`measuring ${name} …`);
    results.push(...[await rows()].flat());
  };
  try {
    say(`writing a log of ${options.endUsers} registrations …`);
    await buildLog(dataDir, key, options.endUsers);
    await measure('replay', () => replayRow(dataDir, options));
    // This start brings the read models up to date after any earlier row.
    await (await startService(dataDir, key)).stop();
    await measure('start', () => startRows(dataDir, key, options));
    const service = await startService(dataDir, key);
    try {
      for (const [name, row] of SERVED_ROWS) await measure(name, () => row(service, key, options));
    } finally {
      await service.stop();
    }
    // These rows change the end users that other rows list, so they come last.
    await measure('inactive', () => halfInactiveRow(dataDir, key, options));
    await measure('inactive', () => behindInactiveRow(dataDir, key, options));
    await measure('keys', () => keysRow(key, options));
    await measure('verification', () => verificationRows(key, options));
    await measure('slow-disk', () => slowDiskRow(key, options));
    await measure('servers', () => serverRows(key, options));
    await measure('usage', () => usageRows(key, options));
    await measure('usage-memory', () => usageMemoryRow(key, options));
    await measure('audit', () => auditRows(key, options));
  } finally {
    rmSync(dataDir, { recursive: true, force: true });
  }
  process.stdout.write(`\n${description}\n\n${tableOf(results)}\n`);
  return results.every(({ met }) => met !== false);
}

function say(progress: string): void {
  process.stderr.write(`${progress}\n`);
}

try {
  const options = readOptions(process.argv.slice(2));
  process.exitCode = (await run(options)) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
  process.exitCode = 2;
}
