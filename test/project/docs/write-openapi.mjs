// Writes docs/openapi.yaml as the built service serves it.
import { spawn } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import process from 'node:process';
import { createInterface } from 'node:readline';

const OPENAPI_YAML = 'docs/openapi.yaml';

const data = mkdtempSync(join(tmpdir(), 'keyledger-'));
const service = spawn(process.execPath, ['dist/main.js'], {
  env: { PATH: process.env.PATH, DATA_DIR: data, PORT: '0' },
  stdio: ['ignore', 'pipe', 'inherit'],
});
try {
  const address = await addressOf(service.stdout);
  const answer = await globalThis.fetch(`${address}/openapi.yaml`);
  writeFileSync(OPENAPI_YAML, await answer.text());
  process.stdout.write(`${OPENAPI_YAML} is written\n`);
} finally {
  service.kill('SIGKILL');
  rmSync(data, { recursive: true });
}

/** Waits until the service is ready. A first start prints other lines too. */
async function addressOf(output) {
  for await (const line of createInterface({ input: output })) {
    const { msg, address } = line.startsWith('{') ? JSON.parse(line) : {};
    if (msg === 'ready') return address;
  }
  throw new Error('the service did not become ready');
}
