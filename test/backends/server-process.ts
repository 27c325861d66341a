import { type ChildProcess, spawn, spawnSync } from 'node:child_process';
import { once } from 'node:events';
import { createServer } from 'node:net';
import { eventually } from '../harness/eventually.js';

/** A server as a process of its own that can be killed, frozen and started again on the same port and files. */
export class ServerProcess {
  #child: ChildProcess;

  constructor(
    private readonly program: string,
    private readonly args: readonly string[],
  ) {
    this.#child = this.#spawn();
  }

  /** As `kill -9` ends it. */
  async kill(): Promise<void> {
    if (this.#child.exitCode !== null || this.#child.signalCode !== null) return;
    const ended = once(this.#child, 'exit');
    this.#child.kill('SIGKILL');
    await ended;
  }

  /** Starts it where it was. Whether it answers yet is for others to see. */
  async restart(): Promise<void> {
    await this.kill();
    this.#child = this.#spawn();
  }

  /** Resolves when it stands still. */
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
    // The open input tells our servers that we are there still.
    return spawn(this.program, this.args, { stdio: ['pipe', 'ignore', 'inherit'] });
  }
}

/** A port of the loopback address that nobody listens on. */
export async function freePort(): Promise<number> {
  const server = createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  server.close();
  await once(server, 'close');
  if (address === null || typeof address === 'string') throw new Error('there is no free port');
  return address.port;
}
