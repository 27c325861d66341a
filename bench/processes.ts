import { type ChildProcess, fork, type Serializable, spawn } from 'node:child_process';
import { once } from 'node:events';
import { readFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** Characters of log in which the line that says it is ready must stand. */
const LONGEST_START = 10_000;
const SERVICE = fileURLToPath(new URL('../../main.js', import.meta.url));

/** A server under load, in a process of its own. */
export interface ServerProcess {
  readonly pid: number;
  readonly address: string;
  stop(): Promise<void>;
}

export interface StartedService extends ServerProcess {
  /** From just before the process was made to the line that says it is ready. */
  readonly readyAfterMs: number;
}

/**
 * Starts the service as `node dist/main.js` does, with everything but these settings at its default.
 * @param servers settings that name servers to use in place of the embedded backends.
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
    // Goes on reading afterwards: unread, the pipe would fill and hold the service up.
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

/** Runs a module in a process of its own: sends it `task`, and gives its first message. */
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

/** The memory of a process that is in RAM now, in bytes. Linux only. */
export function residentBytes(pid: number): number {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  return Number(/^VmRSS:\s+(\d+) kB$/m.exec(status)?.[1]) * 1024;
}
