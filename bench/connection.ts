import { connect, type Socket } from 'node:net';

const END_OF_HEAD = '\r\n\r\n';
const LENGTH = /\r\ncontent-length: (\d+)/i;

/** A connection for one request at a time. It costs less processor time than a client of Node. */
export class Connection {
  readonly #socket: Socket;
  #received = '';
  #answered: ((status: number) => void) | undefined;

  private constructor(socket: Socket) {
    this.#socket = socket;
    socket.setNoDelay().setEncoding('latin1');
    socket.on('data', (text: string) => this.#read(text));
    socket.on('error', () => this.#answer(0));
    socket.on('close', () => this.#answer(0));
  }

  static async open(url: string): Promise<Connection> {
    const { hostname, port } = new URL(url);
    const socket = connect(Number(port), hostname);
    await new Promise((resolve, reject) => {
      socket.once('connect', resolve).once('error', reject);
    });
    return new Connection(socket);
  }

  /** Sends a request. @param answered gets the status; 0 for a broken connection. */
  ask(request: string, answered: (status: number) => void): void {
    this.#answered = answered;
    this.#socket.write(request, 'latin1');
  }

  close(): void {
    this.#socket.destroy();
  }

  #read(text: string): void {
    this.#received += text;
    const head = this.#received.indexOf(END_OF_HEAD);
    if (head === -1) return;
    const length = Number(LENGTH.exec(this.#received)?.[1] ?? 0);
    if (this.#received.length < head + END_OF_HEAD.length + length) return;
    const status = Number(this.#received.slice(9, 12));
    this.#received = '';
    this.#answer(status);
  }

  #answer(status: number): void {
    const answered = this.#answered;
    this.#answered = undefined;
    answered?.(status);
  }
}
