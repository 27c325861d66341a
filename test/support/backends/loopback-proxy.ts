import { once } from 'node:events';
import { type AddressInfo, connect, createServer, type Server, type Socket } from 'node:net';
import { Transform } from 'node:stream';

/** A proxy for TCP that can be cut. It forwards to a port on loopback until a test stops it. */
export class LoopbackProxy {
  /**
   * The number of connections that clients have made, and the most of them that were open at once.
   */
  made = 0;
  most = 0;
  /** How long all that is sent takes in each direction. */
  delayMs = 0;
  readonly #open = new Set<Socket>();
  #isCut = false;

  private constructor(
    private readonly server: Server,
    private readonly target: number,
  ) {
    server.on('connection', (near) => this.#forward(near));
  }

  static async to(target: number): Promise<LoopbackProxy> {
    const server = createServer();
    server.listen(0, '127.0.0.1');
    await once(server, 'listening');
    return new LoopbackProxy(server, target);
  }

  get port(): number {
    return (this.server.address() as AddressInfo).port;
  }

  /**
   * From now on forwards nothing on the connections that are open, and leaves them open, as a
   * firewall forgets them.
   */
  forget(): void {
    for (const socket of this.#open) socket.unpipe().resume();
  }

  /** Ends every connection and refuses new ones. */
  cut(): void {
    this.#isCut = true;
    for (const socket of this.#open) socket.destroy();
  }

  mend(): void {
    this.#isCut = false;
  }

  async close(): Promise<void> {
    this.cut();
    this.server.close();
    await once(this.server, 'close');
  }

  #delayed(): Transform {
    return new Transform({
      transform: (chunk: Buffer, _, pass) => {
        if (this.delayMs === 0) pass(null, chunk);
        else setTimeout(pass, this.delayMs, null, chunk);
      },
    });
  }

  #forward(near: Socket): void {
    if (this.#isCut) {
      near.destroy();
      return;
    }
    this.made += 1;
    const far = connect(this.target, '127.0.0.1');
    for (const [socket, other] of [
      [near, far],
      [far, near],
    ] as const) {
      socket.setNoDelay(true);
      this.#open.add(socket);
      socket.on('error', () => other.destroy());
      socket.on('close', () => {
        this.#open.delete(socket);
        other.destroy();
      });
      socket.pipe(this.#delayed()).pipe(other);
    }
    this.most = Math.max(this.most, this.#open.size / 2);
  }
}
