import { once } from 'node:events';
import { setTimeout as delay } from 'node:timers/promises';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { uriOfThePrimary } from './uri-of-the-primary.js';
import { type Command, commandOf, messageOf, messagesOf } from './wire-messages.js';

const TIMED_OUT = { ok: 0, code: 50, codeName: 'MaxTimeMSExpired', errmsg: 'too late' };
const LISTS: Readonly<Record<string, string>> = { insert: 'documents', update: 'updates' };

/** The fate of one write of a command: carried out, delayed for long, or lost. */
export type Fate = 'done' | 'late' | 'lost';

/**
 * A proxy to a server that lets commands fail. Each write of a failing command has its own fate,
 * and the client is not told.
 */
export class FaultyGate {
  /** @returns the fate of each write; undefined when the command does not fail. */
  fatesOf: (command: Command, writes: number) => readonly Fate[] | undefined = () => undefined;
  /** The delay from the server's answer until the client gets it. */
  delayMs = 0;
  readonly #late: Record<string, unknown>[] = [];
  readonly #sockets = new Set<Socket>();

  private constructor(
    private readonly listener: Server,
    private readonly target: URL,
  ) {
    listener.on('connection', (client) => void this.#exchange(client));
  }

  /** @param uri the URI of the server. The gate uses the database of this URI. */
  static async open(uri: string): Promise<FaultyGate> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new FaultyGate(listener, await uriOfThePrimary(uri));
  }

  get uri(): string {
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('the gate is closed');
    return `mongodb://127.0.0.1:${address.port}${this.target.pathname}${this.target.search}`;
  }

  get lateWrites(): number {
    return this.#late.length;
  }

  /** Carries out a delayed write. @param nth its place among the delayed writes. */
  async deliver(nth: number): Promise<void> {
    const [command] = this.#late.splice(nth, 1);
    if (!command) return;
    const server = this.#connect();
    server.write(messageOf(command));
    await messagesOf(server).next();
    server.destroy();
  }

  close(): void {
    this.listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #connect(): Socket {
    return this.#kept(connect(Number(this.target.port), this.target.hostname));
  }

  #kept(socket: Socket): Socket {
    this.#sockets.add(socket);
    socket.setNoDelay(true).on('error', () => undefined);
    return socket.on('close', () => this.#sockets.delete(socket));
  }

  async #exchange(client: Socket): Promise<void> {
    const server = this.#connect();
    this.#kept(client).on('close', () => server.destroy());
    server.on('close', () => client.destroy());
    const answers = messagesOf(server);
    const ask = async (message: Buffer): Promise<Buffer | undefined> => {
      server.write(message);
      return (await answers.next()).value;
    };
    for await (const message of messagesOf(client)) {
      const command = commandOf(message);
      const failing = command && this.#failing(command);
      if (!failing) {
        const answer = await ask(message);
        if (!answer) return;
        if (this.delayMs > 0) await delay(this.delayMs);
        client.write(answer);
        continue;
      }
      this.#late.push(...failing.late);
      if (failing.done && !(await ask(messageOf(failing.done)))) return;
      client.write(messageOf(TIMED_OUT, message));
    }
  }

  /** The parts of a failing command by their fates; undefined when the command does not fail. */
  #failing(command: Command) {
    const { name, body } = command;
    const list = LISTS[name];
    const writes = list === undefined ? [] : (body[list] as unknown[]);
    const fates = this.fatesOf(command, writes.length);
    if (!fates) return undefined;
    const ids = writes.map((_, index) => index);
    const part = (some: readonly number[]): Record<string, unknown> => ({
      ...body,
      ...(list !== undefined && { [list]: some.map((index) => writes[index]) }),
      ...(body.txnNumber !== undefined && { stmtIds: some }),
    });
    const done = ids.filter((index) => fates[index] === 'done');
    return {
      done: done.length > 0 ? part(done) : undefined,
      late: ids.filter((index) => fates[index] === 'late').map((index) => part([index])),
    };
  }
}
