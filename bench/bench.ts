import 'reflect-metadata';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { mintKeyString } from '../src/kernel/key-string.js';
import { buildLog } from './dataset.js';
import { type Options, readOptions, type RowName, USAGE } from './options.js';
import { pin, type ServerProcess, startService } from './processes.js';
import { describeRun, type Measured, tableOf } from './report.js';
import { listRow, registerRow } from './rows/against-baseline.js';
import { deepPageRow } from './rows/deep-page.js';
import { auditRows } from './rows/audit.js';
import { buildRows } from './rows/builds.js';
import { behindInactiveRow, halfInactiveRow } from './rows/inactive.js';
import { keysRow } from './rows/keys.js';
import { memoryRow } from './rows/memory.js';
import { replayRows } from './rows/replay.js';
import { serverRows } from './rows/servers.js';
import { slowDiskRow } from './rows/slow-disk.js';
import { startRows } from './rows/start.js';
import { usageMemoryRow, usageRows } from './rows/usage.js';
import { verificationRows } from './rows/verification.js';

type ServedRow = (
  service: ServerProcess,
  key: string,
  options: Options,
) => Promise<Measured | Measured[]>;

/** Rows that write come last, so that the others find exactly the requested number of end users. */
const SERVED_ROWS: readonly (readonly [RowName, ServedRow])[] = [
  ['deep-page', deepPageRow],
  ['list', listRow],
  ['memory', memoryRow],
  ['register', registerRow],
];

async function run(options: Options): Promise<Measured[]> {
  const dataDir = mkdtempSync(join(tmpdir(), 'keyledger-bench-'));
  const key = mintKeyString('mk-v1-');
  if (options.pin) pin();
  const results: Measured[] = [];
  const measure = async (
    name: RowName,
    rows: () => Promise<Measured | Measured[]>,
  ): Promise<void> => {
    if (!options.rows.includes(name)) return;
    say(`measuring ${name} …`);
    results.push(...[await rows()].flat());
  };
  try {
    await measure('builds', () => buildRows(key, options));
    if (options.rows.every((name) => name === 'builds')) return results;
    say(`writing a log of ${options.endUsers} registrations …`);
    await buildLog(dataDir, key, options.endUsers);
    await measure('replay', () => replayRows(dataDir, options));
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
  return results;
}

function say(progress: string): void {
  process.stderr.write(`${progress}\n`);
}

try {
  const options = readOptions(process.argv.slice(2));
  const description = describeRun(options);
  const results = await run(options);
  process.stdout.write(`\n${description}\n\n${tableOf(results)}\n`);
  process.exitCode = results.every(({ met }) => met !== false) ? 0 : 1;
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n\n${USAGE}\n`);
  process.exitCode = 2;
}
