import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

/** Starts the built service with an empty log, and stops it after `use(address)` has ended. */
export async function withBuiltService(use, settings = {}) {
  const data = mkdtempSync(join(tmpdir(), 'keyledger-'));
  const service = spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, DATA_DIR: data, PORT: '0', ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  try {
    await use(await addressOf(service.stdout));
  } finally {
    service.kill('SIGKILL');
    rmSync(data, { recursive: true });
  }
}

/** Waits until the service is ready. A first start prints other lines too. */
async function addressOf(output) {
  for await (const line of createInterface({ input: output })) {
    const { msg, address } = line.startsWith('{') ? JSON.parse(line) : {};
    if (msg === 'ready') return address;
  }
  throw new Error('the service did not become ready');
}
