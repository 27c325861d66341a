import type { Server } from 'node:http';
import { Server as NetServer, type Socket } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';

const GRACE_MS = 10_000;
/** The time for the last checkpoints and for closing, after the last request. */
const CLOSING_MS = 10_000;
const IDLE_SWEEP_MS = 50;

/**
 * Stops the process on SIGTERM, SIGHUP or SIGINT (docs/operations/process.md). It announces the
 * stop, accepts no more connections and gives requests in flight 10 s to finish. Then it stops the
 * projections at a checkpoint, closes everything and exits with 0. It exits with 0 at once when no
 * application is registered. It exits with 1 when the stop takes longer than 20 s, and at once on a
 * second signal.
 * @param delayMs how long the service accepts requests after SIGTERM or SIGHUP. SIGINT, from a
 * terminal, has no delay.
 */
export function stopOnSignal(logger: Logger, delayMs: number) {
  let close: ((acceptMs: number) => Promise<void>) | undefined;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    // The first process of a container ignores signals without a handler, so it must exit here.
    if (!close) process.exit(0);
    stopping = true;
    logger.info({ msg: 'stopping', signal });
    setTimeout(() => {
      logger.error({ msg: 'could not stop in time' });
      process.exit(1);
    }, GRACE_MS + CLOSING_MS).unref();
    close(signal === 'SIGINT' ? 0 : delayMs).then(
      () => {
        logger.info({ msg: 'stopped' });
        process.exit(0);
      },
      (error: unknown) => {
        logger.error({ msg: 'could not stop cleanly', err: error });
        process.exit(1);
      },
    );
  };
  for (const signal of ['SIGTERM', 'SIGINT', 'SIGHUP']) process.on(signal, onSignal);
  return {
    /**
     * Registers the application that a signal stops.
     * @param announce is called first, so that load balancers send requests to other replicas.
     * @param release is called last.
     */
    begin(app: INestApplication, announce: () => void, release: () => void | Promise<void>): void {
      const server = app.getHttpServer() as Server;
      const sockets = socketsOf(server);
      close = async (acceptMs) => {
        announce();
        await closeServer(server, sockets, acceptMs);
        await app.close();
        await release();
      };
    },
  };
}

/** Returns the open connections of a server that does not listen yet. */
function socketsOf(server: Server): ReadonlySet<Socket> {
  const sockets = new Set<Socket>();
  server.on('connection', (socket: Socket) => {
    sockets.add(socket);
    socket.once('close', () => sockets.delete(socket));
  });
  return sockets;
}

async function closeServer(
  server: Server,
  sockets: ReadonlySet<Socket>,
  acceptMs: number,
): Promise<void> {
  const cutOff = setTimeout(() => server.closeAllConnections(), GRACE_MS);
  // The next answer on each connection has `Connection: close`, so clients move to other replicas.
  server.maxRequestsPerSocket = 1;
  if (acceptMs > 0) await delay(acceptMs);
  // A kept-alive connection becomes idle when its last request ends. Node has no event for that.
  const sweep = setInterval(() => {
    // Node counts a connection as idle once its answer has ended, even before the answer is sent.
    if ([...sockets].every(({ writableLength }) => writableLength === 0)) {
      server.closeIdleConnections();
    }
  }, IDLE_SWEEP_MS);
  // The HTTP server's own `close` begins by closing connections that it counts as idle.
  await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(sweep);
  clearTimeout(cutOff);
}
