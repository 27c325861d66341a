import { type ChildProcess, spawn } from 'node:child_process';
import { once } from 'node:events';
import { eventually } from './eventually.js';
import { HttpClient } from './http-client.js';

const READY_WITHIN_MS = 20_000;
/** The default settings of tests. */
const DEFAULTS = { PORT: '0', RATE_LIMIT_KEY_CREATION: 'off' };

type Environment = Readonly<Record<string, string>>;

/** A started process of the service, ready or not. */
export interface LaunchedService {
  readonly child: ChildProcess;
  /** Gives the standard output and the standard error so far. */
  readonly output: () => string;
  /** Gives the lines of the standard output so far. */
  readonly lines: () => string[];
  /** Gives the log lines so far: the lines that are JSON. */
  readonly logged: () => Record<string, unknown>[];
  /** Waits for a log line with a matching message. A line may come after its answer. */
  readonly logs: (message: RegExp) => Promise<Record<string, unknown>>;
  /** Resolves at the end of the process with its exit code; null after a signal. */
  readonly ended: Promise<number | null>;
  /**
   * Sends a signal and waits for the end. @returns the exit code; null when the signal ended the
   * process.
   */
  stop(signal?: NodeJS.Signals): Promise<number | null>;
}

/** The built service as a process, like `node dist/main.js`. */
export interface ServiceProcess extends LaunchedService {
  readonly address: string;
  /** The management key that a first start printed, or the given one. */
  readonly managementKey: string;
  readonly client: HttpClient;
}

/**
 * Starts the service and waits until it is ready.
 * @param through a command that runs another command, such as `setpriv` with its options.
 * @throws Error with its output when the service ends instead.
 */
export async function startService(
  environment: Environment,
  through: readonly string[] = [],
  withinMs = READY_WITHIN_MS,
): Promise<ServiceProcess> {
  const launched = launchService(environment, through);
  const { child, output } = launched;
  const address = await new Promise<string>((resolve, reject) => {
    const timer = setTimeout(() => {
      child.kill('SIGKILL');
      reject(new Error(`the service was not ready in time:\n${output()}`));
    }, withinMs);
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

/** Starts the service and waits until it ends by itself. Gives its exit code and output. */
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
