import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { HttpClient } from './http-client.js';

const READY_WITHIN_MS = 20_000;

/** The built service as a process of its own, as `node dist/main.js` starts it. */
export interface ServiceProcess {
  readonly child: ChildProcess;
  readonly address: string;
  /** The management key that a first start printed, or the one given. */
  readonly managementKey: string;
  readonly client: HttpClient;
  /** Standard output and standard error so far. */
  readonly output: () => string;
  /** Sends a signal and waits for the end. @returns the exit code, null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** Starts the service and waits until it says that it is ready. @throws with its output when it ends instead. */
export async function startService(
  environment: Readonly<Record<string, string>>,
): Promise<ServiceProcess> {
  const { child, output } = spawnService(environment);
  const address = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service was not ready in time:\n${output()}`));
    }, READY_WITHIN_MS);
    child.once('exit', () => {
      clearTimeout(timer);
      reject(new Error(`the service ended:\n${output()}`));
    });
    child.stdout?.on('data', () => {
      const ready = /"msg":"ready","address":"([^"]+)"/.exec(output())?.[1];
      if (ready === undefined) return;
      clearTimeout(timer);
      resolve(ready);
    });
  });
  const printed = /mk-v1-[0-9a-f]{64}/.exec(output())?.[0];
  const managementKey = environment.BOOTSTRAP_MANAGEMENT_KEY ?? printed ?? '';
  return {
    child,
    address,
    managementKey,
    client: new HttpClient(address, managementKey),
    output,
    stop: (signal = 'SIGTERM') => stop(child, signal),
  };
}

/** Starts the service and gives its exit code and output once it has ended by itself. */
export async function runServiceToItsEnd(
  environment: Readonly<Record<string, string>>,
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { child, output } = spawnService(environment);
  await once(child, 'close');
  return { code: child.exitCode, output: output() };
}

function spawnService(environment: Readonly<Record<string, string>>): {
  child: ChildProcess;
  output: () => string;
} {
  const child = spawn(process.execPath, ['dist/main.js'], {
    env: { PATH: process.env.PATH, PORT: '0', RATE_LIMIT_KEY_CREATION: 'off', ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let text = '';
  const collect = (chunk: Buffer): void => {
    text += chunk.toString();
  };
  child.stdout.on('data', collect);
  child.stderr.on('data', collect);
  return { child, output: () => text };
}

async function stop(child: ChildProcess, signal: NodeJS.Signals): Promise<number | null> {
  if (child.exitCode === null && child.signalCode === null) {
    const ended = once(child, 'close');
    child.kill(signal);
    await ended;
  }
  return child.exitCode;
}
