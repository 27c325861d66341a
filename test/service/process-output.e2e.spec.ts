import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { closeSync, openSync, readFileSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { type Backends, freshBackends } from '../support/harness/backends.js';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';

const managementKey = mintKeyString('mk-v1-');
/** Enough requests for log lines that fill a pipe of 64 KB three times. */
const REQUESTS = 800;
const AT_ONCE = 50;
const ENDS_WITHIN_MS = 5_000;

describe('a service whose standard output takes nothing', () => {
  let backends: Backends;
  let child: ChildProcess | undefined;
  let port: number;

  beforeEach(async () => {
    backends = await freshBackends();
    port = await freePort();
  });

  afterEach(async () => {
    child?.kill('SIGKILL');
    await backends.dispose();
  });

  function launch(
    command: readonly string[],
    stdout: 'pipe' | number,
    settings = {},
  ): ChildProcess {
    const [program = '', ...args] = command;
    child = spawn(program, args, {
      stdio: ['ignore', stdout, stdout],
      env: {
        PATH: process.env.PATH,
        PORT: String(port),
        BOOTSTRAP_MANAGEMENT_KEY: managementKey,
        ...backends.settings,
        ...settings,
      },
    });
    // A pipe without a listener is never read.
    return child;
  }

  function ready(): Promise<HttpClient> {
    const client = new HttpClient(`http://127.0.0.1:${port}`, managementKey);
    const isReady = async (): Promise<HttpClient | undefined> => {
      const answer = await client.get('/health/ready').catch(() => undefined);
      return answer?.status === 200 ? client : undefined;
    };
    return eventually('the service to be ready', isReady, 20_000);
  }

  async function askOften(client: HttpClient): Promise<number[]> {
    const statuses: number[] = [];
    for (let asked = 0; asked < REQUESTS; asked += AT_ONCE) {
      const asking = Array.from({ length: AT_ONCE }, () => client.get('/v1/end-users?limit=1'));
      statuses.push(...(await Promise.all(asking)).map(({ status }) => status));
    }
    return statuses;
  }

  async function endsAfter(signals: readonly NodeJS.Signals[], pid = child?.pid): Promise<unknown> {
    if (!child || pid === undefined) throw new Error('nothing was launched');
    const closed = once(child, 'exit');
    const began = performance.now();
    for (const signal of signals) process.kill(pid, signal);
    const [code] = (await closed) as [number | null];
    expect(performance.now() - began).toBeLessThan(ENDS_WITHIN_MS);
    return code;
  }

  it('answers all requests and stops in time on a pipe without a reader', async () => {
    launch([process.execPath, 'dist/main.js'], 'pipe');
    const client = await ready();
    expect(new Set(await askOften(client))).toEqual(new Set([200]));
    expect(await endsAfter(['SIGTERM'])).toBe(0);
  }, 60_000);

  it('ends at once at a second signal', async () => {
    launch([process.execPath, 'dist/main.js'], 'pipe', { SHUTDOWN_DELAY: '5s' });
    await askOften(await ready());
    expect(await endsAfter(['SIGTERM', 'SIGINT'])).toBe(1);
  }, 60_000);

  it('answers and stops on a full device, and a start that fails exits with 1', async () => {
    const full = openSync('/dev/full', 'w');
    try {
      launch([process.execPath, 'dist/main.js'], full);
      const client = await ready();
      expect(new Set(await askOften(client))).toEqual(new Set([200]));
      expect(await endsAfter(['SIGTERM'])).toBe(0);
      launch([process.execPath, 'dist/main.js'], full, { PORT: 'none' });
      expect(await endsAfter([])).toBe(1);
    } finally {
      closeSync(full);
    }
  }, 60_000);

  it('answers and stops on a terminal that was suspended', async () => {
    // `script` gives the service a terminal, and stops reading it when its own output is not read.
    const command = `exec ${process.execPath} dist/main.js`;
    const terminal = launch(
      ['script', '--quiet', '--return', '--command', command, '/dev/null'],
      'pipe',
    );
    const client = await ready();
    expect(new Set(await askOften(client))).toEqual(new Set([200]));
    const { stdout } = await eventually('the service below the terminal', () =>
      serviceOf(terminal),
    );
    process.kill(Number(stdout), 'SIGTERM');
    const ended = async (): Promise<boolean> =>
      client.get('/health/live').then(
        () => false,
        () => !isAlive(Number(stdout)),
      );
    expect(await eventually('the end of the service', ended, ENDS_WITHIN_MS)).toBe(true);
  }, 60_000);
});

async function serviceOf({ pid }: ChildProcess): Promise<{ stdout: string } | undefined> {
  const ps = spawn('ps', ['-o', 'pid=', '--ppid', String(pid)], {
    stdio: ['ignore', 'pipe', 'ignore'],
  });
  let stdout = '';
  ps.stdout.setEncoding('utf8').on('data', (text: string) => (stdout += text));
  await once(ps, 'close');
  return stdout.trim() === '' ? undefined : { stdout: stdout.trim() };
}

/** Whether a process runs. A zombie does not count. */
function isAlive(pid: number): boolean {
  try {
    const [, state] = /\) (\w)/.exec(readFileSync(`/proc/${pid}/stat`, 'utf8')) ?? [];
    return state !== 'Z';
  } catch {
    return false;
  }
}

async function freePort(): Promise<number> {
  const { createServer } = await import('node:net');
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  return typeof address === 'object' && address ? address.port : 0;
}
