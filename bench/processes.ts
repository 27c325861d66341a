import {
  type ChildProcess,
  execFileSync,
  fork,
  type Serializable,
  spawn,
} from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The `ready` line must stand within this many characters of the log. */
const LONGEST_START = 10_000;
export const SERVICE = fileURLToPath(new URL('../main.js', import.meta.url));
export const CLI = fileURLToPath(new URL('../cli.js', import.meta.url));

const SERVICE_CORE = '0';
const LOAD_CORE = '1';
let isPinned = false;

/**
 * Runs services on one core from now on, and this process with all others that it starts on another
 * one. Linux only.
 */
export function pin(): void {
  isPinned = true;
  runOn(LOAD_CORE, process.pid);
}

function runOn(core: string, pid: number): void {
  execFileSync('taskset', ['--all-tasks', '--cpu-list', '--pid', core, String(pid)]);
}

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
 * @param settings for example settings that name servers in place of the embedded backends.
 * @param program the main program of a build. Default: that of this one.
 */
export async function startService(
  dataDir: string,
  key: string,
  settings: Readonly<Record<string, string>> = {},
  program = SERVICE,
): Promise<StartedService> {
  const started = performance.now();
  const child = spawn(process.execPath, [program], {
    env: { PORT: '0', DATA_DIR: dataDir, BOOTSTRAP_MANAGEMENT_KEY: key, ...settings },
    stdio: ['ignore', 'pipe', 'inherit'],
  });
  if (isPinned) runOn(SERVICE_CORE, pidOf(child));
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

/** Runs a module that serves requests, like `startTask`. */
export async function startServer<Answer>(
  module: URL,
  task: Serializable,
): Promise<{ child: ChildProcess; answer: Answer }> {
  const started = await startTask<Answer>(module, task);
  if (isPinned) runOn(SERVICE_CORE, pidOf(started.child));
  return started;
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

/**
 * Gives the processor time of all threads of a process in seconds, also of ended ones. Linux only.
 */
export function processorSeconds(pid: number): number {
  const stat = readFileSync(`/proc/${pid}/stat`, 'utf8');
  const [, user, system] = /\) (?:\S+ ){11}(\d+) (\d+)/.exec(stat) ?? [];
  return (Number(user) + Number(system)) / TICKS;
}

/** Gives the resident memory of a process in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
