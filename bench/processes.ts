import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The `ready` line must stand within this many characters of the log. */
const LONGEST_START = 10_000;
const SERVICE = fileURLToPath(new URL('../main.js', import.meta.url));
export const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));

/** A process under load. */
export interface ServerProcess {
  readonly pid: number;
  readonly address: string;
  stop(): Promise<void>;
}

export interface StartedService extends ServerProcess {
  /** The time from just before the process is started to its `ready` line. */
  readonly readyAfterMs: number;
}

/**
 * Starts the service like `node dist/main.js`. Other settings have their defaults.
 * @param servers settings that name servers in place of the embedded backends.
 */
export async function startService(
  dataDir: string,
  key: string,
  servers: Readonly<Record<string, string>> = {},
): Promise<StartedService> {
  const started = performance.now();
  const child = spawn(process.execPath, [SERVICE], {
    env: { PORT: '0', DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: key, ...servers },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  let output = '';
  const address = await new Promise<string>((resolve, reject) => {
    child.once('exit', () => reject(new Error(`the service ended:\n${output}`)));
    // The listener stays, because a full pipe would lose log lines.
    child.stdout.on('data', (chunk: Buffer) => {
      if (output.length > LONGEST_START) return;
      output += chunk.toString();
      const ready = /"msg":"ready","address":"([^"]+)"/.exec(output)?.[1];
      if (ready !== undefined) resolve(ready);
    });
  });
  const readyAfterMs = performance.now() - started;
  return { pid: pidOf(child), address, readyAfterMs, stop: () => stop(child) };
}

/** Runs a module in another process: sends it `task`, and gives its first message. */
export async function startTask<Answer>(
  module: URL,
  task: Serializable,
): Promise<{ child: ChildProcess; answer: Answer }> {
  const child = fork(fileURLToPath(module), { stdio: ['ignore', 'pipe', 'inherit', 'ipc'] });
  child.stdout?.resume();
  child.send(task);
  const ended = once(child, 'exit').then(() => {
    throw new Error(`${module.pathname} ended without an answer`);
  });
  const [answer] = (await Promise.race([once(child, 'message'), ended])) as [Answer];
  ended.catch(() => undefined);
  return { child, answer };
}

export function pidOf({ pid }: ChildProcess): number {
  if (pid === undefined) throw new Error('the process could not be started');
  return pid;
}

export async function stop(child: ChildProcess): Promise<void> {
  const ended = once(child, 'exit');
  child.kill('SIGTERM');
  await ended;
}

/** Ticks of the kernel's clock in a second. */
const TICKS = 100;

/** Gives the processor time of the first thread of a process in seconds, which is the one of requests. Linux only. */
export function requestThreadSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/task/${pid}/stat`, 'utf8');
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(user) + Number(system)) / TICKS;
}

/** Gives the resident memory of a process in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
