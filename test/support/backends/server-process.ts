import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { eventually } from '../harness/eventually.js';

/**
 * A server as a process that can be killed, frozen and started again on the same port and files.
 */
export class ServerProcess {
  #child: ChildProcess;

  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
  ) {
    this.#child = this.#spawn();
  }

  /** Ends the process like `kill -9`. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Starts the process again on the same port. The caller waits until the server answers. */
  async restart(): Promise<void> {
    await this.kill();
    this.#child = this.#spawn();
  }

  /** Resolves when the process is stopped. */
  async freeze(): Promise<void> {
    this.#child.kill('SIGSTOP');
    const state = ['-o', 'stat=', '-p', String(this.#child.pid)];
    await eventually('the server stands still', () =>
      spawnSync('ps', state, { encoding: 'utf8' }).stdout.startsWith('T'),
    );
  }

  thaw(): void {
    this.#child.kill('SIGCONT');
  }

  #spawn(): ChildProcess {
    // The open standard input shows our servers that this process still runs.
    return spawn(this.program, this.args, { stdio: ['pipe', 'ignore', 'inherit'] });
  }
}

/** Gives a free port of the loopback address. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
