import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { responsesInFlight } from '../http/responses-in-flight.js';
import { lastAnswersOf } from './last-answers.js';

const GRACE_MS = 10_000;
/** The time for the last checkpoints and for closing, after the last request. */
const CLOSING_MS = 10_000;
const IDLE_SWEEP_MS = 50;

export interface Stopping {
  /**
   * Registers the application that a signal stops.
   * @param announce is called first, so that load balancers send requests to other replicas.
   * @param release is called last.
   */
  begin(app: INestApplication, announce: () => void, release: () => void | Promise<void>): void;
}

/**
 * Stops the process on SIGTERM, SIGHUP or SIGINT (docs/api.md 8.5). It announces the stop, accepts no more connections
 * and gives requests in flight 10 s to finish. Then it stops the projections at a checkpoint, closes everything and
 * exits with 0. It exits with 0 at once when no application is registered. It exits with 1 when the stop takes
 * longer than 20 s, and at once on a second signal.
 * @param delayMs how long the service accepts requests after SIGTERM or SIGHUP. SIGINT, from a terminal, has no delay.
 */
export function stopOnSignal(logger: Logger, delayMs: number): Stopping {
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
  process.on('SIGTERM', onSignal);
  process.on('SIGINT', onSignal);
  process.on('SIGHUP', onSignal);
  return {
    begin(app, announce, release) {
      const server = app.getHttpServer() as Server;
      const answerLast = lastAnswersOf(server);
      close = async (acceptMs) => {
        announce();
        answerLast();
        await closeServer(server, acceptMs);
        await app.close();
        await release();
      };
    },
  };
}

async function closeServer(server: Server, acceptMs: number): Promise<void> {
  const inFlight = responsesInFlight(server);
  const cutOff = setTimeout(() => {
    server.closeAllConnections();
    // Node does not count connections with a CONNECT request.
    for (const [owed] of inFlight.byConnection()) owed?.req.socket.destroy();
  }, GRACE_MS);
  if (acceptMs > 0) await delay(acceptMs);
  // A kept-alive connection becomes idle when its last request ends. Node has no event for that.
  const sweep = setInterval(() => {
    // Node counts a connection as idle once its answer has ended, even before the answer is sent.
    const isSending = inFlight
      .byConnection()
      .flat()
      .some(({ writableEnded }) => writableEnded);
    if (!isSending) server.closeIdleConnections();
  }, IDLE_SWEEP_MS);
  // The HTTP server's own `close` begins by closing connections that it counts as idle.
  await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(sweep);
  clearTimeout(cutOff);
}
