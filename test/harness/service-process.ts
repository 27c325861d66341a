import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';
import { HttpClient } from './http-client.js';

const READY_WITHIN_MS = 20_000;
/** What a test need not say. */
const DEFAULTS = { PORT: '0', RATE_LIMIT_KEY_CREATION: 'off', AUTH_FAILURE_LIMIT: 'off' };

type Environment = Readonly<Record<string, string>>;

/** The service as a process that was started, ready or not. */
export interface LaunchedService {
  readonly child: ChildProcess;
  /** Standard output and standard error so far. */
  readonly output: () => string;
  /** Standard output so far, line by line. */
  readonly lines: () => string[];
  /** Those lines that are JSON: what was logged. */
  readonly logged: () => Record<string, unknown>[];
  /** Waits for a logged line with such a message, as a line may come after the answer that it is about. */
  readonly logs: (message: RegExp) => Promise<Record<string, unknown>>;
  /** Resolves at the end of the process, with its exit code; null when a signal ended it. */
  readonly ended: Promise<number | null>;
  /** Sends a signal and waits for the end. @returns the exit code, null when the signal ended it. */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The built service as a process of its own, as `node dist/main.js` starts it. */
export interface ServiceProcess extends LaunchedService {
  readonly address: string;
  /** The management key that a first start printed, or the one given. */
  readonly managementKey: string;
  readonly client: HttpClient;
}

/**
 * Starts the service and waits until it says that it is ready.
 * @param through a command that runs the command given to it, such as `setpriv` with its options.
 * @throws with its output when it ends instead.
 */
export async function startService(
  environment: Environment,
  through: readonly string[] = [],
): Promise<ServiceProcess> {
  const launched = launchService(environment, through);
  const { child, output } = launched;
  const address = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service was not ready in time:\n${output()}`));
    }, READY_WITHIN_MS);
    void launched.ended.then(() => {
      clearTimeout(timer);
      const how = child.signalCode ?? `exit code ${String(child.exitCode)}`;
      reject(new Error(`the service ended with ${how}:\n${output()}`));
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
  return { ...launched, address, managementKey, client: new HttpClient(address, managementKey) };
}

/** Starts the service and gives its exit code and output once it has ended by itself. */
export async function runServiceToItsEnd(
  environment: Environment,
  through: readonly string[] = [],
): Promise<{ readonly code: number | null; readonly output: string }> {
  const { ended, output } = launchService(environment, through);
  const code = await ended;
  return { code, output: output() };
}

/** Starts the service and does not wait for it. */
export function launchService(
  environment: Environment,
  through: readonly string[] = [],
): LaunchedService {
  const [command, ...rest] = [...through, process.execPath, 'dist/main.js'];
  const child = spawn(command, rest, {
    env: { PATH: process.env.PATH, ...DEFAULTS, ...environment },
    stdio: ['ignore', 'pipe', 'pipe'],
  });
  let all = '';
  let stdout = '';
  child.stdout.setEncoding('utf8').on('data', (chunk: string) => {
    all += chunk;
    stdout += chunk;
  });
  child.stderr.setEncoding('utf8').on('data', (chunk: string) => {
    all += chunk;
  });
  const ended = once(child, 'close').then(() => child.exitCode);
  const lines = (): string[] => stdout.split('\n').slice(0, -1);
  const logged = (): Record<string, unknown>[] =>
    lines().flatMap((line) => (line.startsWith('{') ? [parse(line)] : []));
  return {
    child,
    output: () => all,
    lines,
    logged,
    logs: (message) =>
      eventually(`a log line like ${String(message)}`, () =>
        logged().find(({ msg }) => typeof msg === 'string' && message.test(msg)),
      ),
    ended,
    stop(signal = 'SIGTERM') {
      child.kill(signal);
      return ended;
    },
  };
}

function parse(line: string): Record<string, unknown> {
  return JSON.parse(line) as Record<string, unknown>;
}
