import { type ChildProcess, spawn } from 'node:child_process';
import { randomInt } from 'node:crypto';
import { once } from 'node:events';
import { rmSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as delay } from 'node:timers/promises';
import { makeTempDirectory } from '../../harness/temp-directory.js';
import type { EventStoreDbServer } from '../eventstoredb-server.js';
import type { Counts } from './counts.js';
import type { Fault } from './faults.js';
import type { View } from './membership.js';
import type { SimulatorOptions } from './options.js';
import type { Asked } from './orders.js';

const SOURCES = 'test/support/backends/eventstoredb-simulator';
const READY_WITHIN_MS = 20_000;
const START_ATTEMPTS = 20;
/** How long a restart of a real server takes. */
const RESTART_MS = [2_000, 6_000] as const;

/**
 * Ports below the range that systems give to clients. Otherwise a client that keeps reconnecting to
 * a killed server could get the server's port, and the server could not start again.
 */
const PORTS = [20_000, 30_000] as const;

interface Answer {
  readonly ready?: true;
  readonly done?: number;
  readonly counts?: Counts;
}

/** The simulator as a process with a log file. */
export class SimulatorProcess implements EventStoreDbServer {
  readonly isSimulator = true;
  private orders = 0;

  private constructor(
    readonly port: number,
    private readonly options: SimulatorOptions,
    private readonly directory: ReturnType<typeof makeTempDirectory>,
    private child: ChildProcess,
  ) {}

  static async start(options: SimulatorOptions = {}): Promise<SimulatorProcess> {
    const directory = makeTempDirectory();
    for (let attempt = 1; ; attempt += 1) {
      const port = randomInt(...PORTS);
      try {
        const child = await launch(logIn(directory.path), port, options);
        return new SimulatorProcess(port, options, directory, child);
      } catch (error) {
        if (attempt < START_ATTEMPTS && String(error).includes('EADDRINUSE')) continue;
        directory.remove();
        throw error;
      }
    }
  }

  get connectionString(): string {
    return `esdb://127.0.0.1:${this.port}?tls=false`;
  }

  /** The path of the log file. */
  get file(): string {
    return logIn(this.directory.path);
  }

  async restart(): Promise<void> {
    await this.kill();
    if (this.options.pace === 'real') await delay(randomInt(...RESTART_MS));
    this.child = await launch(this.file, this.port, this.options);
  }

  async wipe(): Promise<void> {
    await this.kill();
    rmSync(this.file, { force: true });
    await this.restart();
  }

  /** Whether the process has ended, for any reason. */
  get isGone(): boolean {
    return this.child.exitCode !== null || this.child.signalCode !== null;
  }

  async kill(signal: NodeJS.Signals = 'SIGKILL'): Promise<void> {
    if (this.isGone) return;
    const ended = once(this.child, 'exit');
    this.child.kill(signal);
    await ended;
  }

  freeze(): void {
    this.child.kill('SIGSTOP');
  }

  thaw(): void {
    this.child.kill('SIGCONT');
  }

  async inject(fault: Fault): Promise<void> {
    await this.order({ inject: fault });
  }

  async heal(): Promise<void> {
    await this.order({ heal: true });
  }

  /** Joins a cluster: as the leader, which takes over the log in `file`, or as a follower. */
  async join(view: View): Promise<void> {
    await this.order({ join: view });
  }

  async counts(): Promise<Counts> {
    const { counts } = await this.order({ count: true });
    if (!counts) throw new Error('the EventStoreDB simulator does not count');
    return counts;
  }

  async stop(): Promise<void> {
    await this.kill();
    this.directory.remove();
  }

  private async order(what: Asked): Promise<Answer> {
    this.orders += 1;
    const order = this.orders;
    const done = answered(this.child, (answer) => answer.done === order);
    this.child.send({ order, ...what });
    return done;
  }
}

function logIn(directory: string): string {
  return join(directory, 'log');
}

async function launch(
  path: string,
  port: number,
  options: SimulatorOptions,
): Promise<ChildProcess> {
  const told = [path, String(port), JSON.stringify(options)];
  const child = spawn(
    process.execPath,
    ['--import', `./${SOURCES}/typescript.mjs`, `${SOURCES}/main.ts`, ...told],
    { stdio: ['ignore', 'ignore', 'pipe', 'ipc'], env: { PATH: process.env.PATH } },
  );
  let errors = '';
  child.stderr?.setEncoding('utf8').on('data', (chunk: string) => (errors += chunk));
  const ended = once(child, 'close').then(() => {
    throw new Error(`the EventStoreDB simulator ended:\n${errors}`);
  });
  const timeout = AbortSignal.timeout(READY_WITHIN_MS);
  try {
    await Promise.race([answered(child, ({ ready }) => ready === true, timeout), ended]);
  } catch (error) {
    child.kill('SIGKILL');
    throw error;
  }
  ended.catch((error: unknown) => {
    // The process ends by itself only after a fault of its own, which the failing test does not
    // show.
    if (child.signalCode === null && child.exitCode !== 0)
      process.stderr.write(`${String(error)}\n`);
  });
  return child;
}

/** Waits for a message from the process. */
function answered(
  child: ChildProcess,
  isIt: (answer: Answer) => boolean,
  signal?: AbortSignal,
): Promise<Answer> {
  return new Promise((resolve, reject) => {
    const listen = (answer: Answer): void => {
      if (!isIt(answer)) return;
      child.off('message', listen);
      resolve(answer);
    };
    child.on('message', listen);
    signal?.addEventListener('abort', () => {
      reject(new Error('the EventStoreDB simulator was not ready in time'));
    });
  });
}
