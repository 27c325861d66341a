import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { uriOfThePrimary } from './uri-of-the-primary.js';
import { type Command, commandOf, messagesOf } from './wire-messages.js';

/** A command that the gate holds. */
export interface Held {
  readonly command: Command;
  /** Lets the command go on. */
  readonly release: () => void;
}

type Decide = (command: Command) => Promise<boolean>;

/**
 * A proxy to the server. Tests see the commands, and can hold them, lose them or cut off their
 * answers.
 */
export class CommandGate {
  readonly seen: Command[] = [];
  /** The rows in the answers to each search command. */
  readonly given: { readonly command: Command; readonly rows: number }[] = [];
  readonly #sockets = new Set<Socket>();
  #before: Decide = async () => true;
  #after: Decide = async () => true;

  private constructor(
    private readonly listener: Server,
    private readonly target: URL,
  ) {
    listener.on('connection', (client) => this.#serve(client));
  }

  /** @param uri the URI of the server. The gate uses the database of this URI. */
  static async open(uri: string): Promise<CommandGate> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new CommandGate(listener, await uriOfThePrimary(uri));
  }

  get uri(): string {
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('the gate is closed');
    return `mongodb://127.0.0.1:${address.port}${this.target.pathname}${this.target.search}`;
  }

  /**
   * Waits for the `nth` command (from 1) for which `counts` is true, and holds it before it reaches
   * the server.
   */
  hold(counts: (command: Command) => boolean, nth = 1): Promise<Held> {
    let left = nth;
    return new Promise((resolve) => {
      this.#before = async (command) => {
        if (!counts(command) || --left !== 0) return true;
        await new Promise<void>((release) => resolve({ command, release }));
        return true;
      };
    });
  }

  /**
   * Cuts all connections after the server has carried out the `nth` such command (from 1), like a
   * crash.
   */
  cutAt(counts: (command: Command) => boolean, nth: number): void {
    let left = nth;
    this.#after = async (command) => {
      if (!counts(command) || --left !== 0) return true;
      this.close();
      return false;
    };
  }

  close(): void {
    this.listener.close();
    for (const socket of this.#sockets) socket.destroy();
  }

  #serve(client: Socket): void {
    const server = connect(Number(this.target.port), this.target.hostname);
    for (const socket of [client, server]) {
      this.#sockets.add(socket);
      socket.setNoDelay(true).on('error', () => undefined);
      socket.on('close', () => {
        this.#sockets.delete(socket);
        client.destroy();
        server.destroy();
      });
    }
    void this.#exchange(client, server);
  }

  /** Forwards one command and its answer at a time, like a driver on each connection. */
  async #exchange(client: Socket, server: Socket): Promise<void> {
    const answers = messagesOf(server);
    for await (const message of messagesOf(client)) {
      const command = commandOf(message);
      if (command) this.seen.push(command);
      if (command && !(await this.#before(command))) return;
      server.write(message);
      const { value: answer } = await answers.next();
      if (!answer || (command && !(await this.#after(command)))) return;
      if (command) this.#note(command, answer);
      client.write(answer);
    }
  }

  #note(command: Command, answer: Buffer): void {
    const { cursor } = commandOf(answer)?.body ?? {};
    if (typeof cursor !== 'object' || cursor === null) return;
    const { firstBatch, nextBatch } = cursor as Record<string, unknown[] | undefined>;
    this.given.push({ command, rows: (firstBatch ?? nextBatch ?? []).length });
  }
}
