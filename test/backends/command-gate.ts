import { once } from 'node:events';
import { connect, createServer, type Server, type Socket } from 'node:net';
import { BSON } from 'mongodb';

const HEADER_LENGTH = 16;
/** The flags of an OP_MSG and the kind of its first section stand between header and command. */
const COMMAND_OFFSET = HEADER_LENGTH + 5;
const OP_MSG = 2013;

/** A command on its way to the server. */
export interface Command {
  readonly name: string;
  readonly database: string;
  /** Absent for a command that is not about one. */
  readonly collection: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** A command that was stopped. */
export interface Held {
  readonly command: Command;
  /** Lets it go on. */
  readonly release: () => void;
}

type Decide = (command: Command) => Promise<boolean>;

/** A way to the server on which commands are seen, and can be stopped, lost, or cut off from their answers. */
export class CommandGate {
  readonly seen: Command[] = [];
  readonly #sockets = new Set<Socket>();
  #before: Decide = async () => true;
  #after: Decide = async () => true;

  private constructor(
    private readonly listener: Server,
    private readonly target: URL,
  ) {
    listener.on('connection', (client) => this.#serve(client));
  }

  /** @param uri of the server; its database is that of `uri` too. */
  static async open(uri: string): Promise<CommandGate> {
    const listener = createServer().listen(0, '127.0.0.1');
    await once(listener, 'listening');
    return new CommandGate(listener, new URL(uri));
  }

  get uri(): string {
    const address = this.listener.address();
    if (address === null || typeof address === 'string') throw new Error('the gate is closed');
    return `mongodb://127.0.0.1:${address.port}${this.target.pathname}${this.target.search}`;
  }

  /** Waits for the `nth` command (from 1) of those that `counts` is true for, and keeps it from the server. */
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

  /** Cuts everything off when the server has carried out the `nth` command (from 1) of those, as a crash does. */
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

  /** One question and its answer at a time, as a driver does on each of its connections. */
  async #exchange(client: Socket, server: Socket): Promise<void> {
    const answers = messagesOf(server);
    for await (const message of messagesOf(client)) {
      const command = commandOf(message);
      if (command) this.seen.push(command);
      if (command && !(await this.#before(command))) return;
      server.write(message);
      const { value: answer } = await answers.next();
      if (!answer || (command && !(await this.#after(command)))) return;
      client.write(answer);
    }
  }
}

async function* messagesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      while (bytes.length >= HEADER_LENGTH && bytes.length >= bytes.readInt32LE(0)) {
        const length = bytes.readInt32LE(0);
        yield bytes.subarray(0, length);
        bytes = bytes.subarray(length);
      }
    }
  } catch {
    // The other side was cut off.
  }
  return undefined;
}

function commandOf(message: Buffer): Command | undefined {
  if (message.readInt32LE(12) !== OP_MSG) return undefined;
  const body: Record<string, unknown> = {};
  for (const section of documentsOf(message)) Object.assign(body, section);
  const [name = '', first] = Object.entries(body)[0] ?? [];
  return {
    name,
    database: String(body.$db),
    collection: typeof first === 'string' ? first : undefined,
    body,
  };
}

/** The command, and the lists that the driver puts beside it. */
function* documentsOf(message: Buffer): Iterable<Record<string, unknown>> {
  let offset = COMMAND_OFFSET - 1;
  while (offset < message.length) {
    const kind = message.readUInt8(offset);
    const length = message.readInt32LE(offset + 1);
    const section = message.subarray(offset + 1, offset + 1 + length);
    if (kind === 0) yield BSON.deserialize(section);
    else yield listOf(section);
    offset += 1 + length;
  }
}

function listOf(section: Buffer): Record<string, unknown> {
  const nameEnd = section.indexOf(0, 4);
  const documents: unknown[] = [];
  let offset = nameEnd + 1;
  while (offset < section.length) {
    const end = offset + section.readInt32LE(offset);
    documents.push(BSON.deserialize(section.subarray(offset, end)));
    offset = end;
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}
