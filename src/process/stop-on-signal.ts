import type { Server } from 'node:http';
import { Server as NetServer } from 'node:net';
import { setTimeout as delay } from 'node:timers/promises';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';
import { responsesInFlight } from '../http/responses-in-flight.js';
import { lastAnswersOf } from './last-answers.js';

const GRACE_MS = 10_000;
/** For ending at a checkpoint and closing, after the last request. */
const CLOSING_MS = 10_000;
const IDLE_SWEEP_MS = 50;

/** What there is to stop, as soon as there is something. */
export interface Stopping {
  /**
   * @param announce called first: tells whoever sends requests to send them elsewhere.
   * @param release called last.
   */
  begin(app: INestApplication, announce: () => void, release: () => void | Promise<void>): void;
}

/**
 * On SIGTERM, SIGHUP or SIGINT: announces it, stops accepting, lets requests in flight finish (cut off 10 s after the signal),
 * stops the projections at a checkpoint, closes everything and exits with 0; at once when nothing was begun yet. With 1
 * when that takes 10 s more, as something that is to be closed does not answer, and at once at a second signal.
 * @param delayMs for how long requests are still accepted after SIGTERM or SIGHUP, until the announcement has got about. SIGINT
 * comes from a terminal, where nobody else sends requests.
 */
export function stopOnSignal(logger: Logger, delayMs: number): Stopping {
  let close: ((acceptMs: number) => Promise<void>) | undefined;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    // The first process of a container is not ended by a signal that it does not handle.
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
    // Node does not count those that were taken for a tunnel.
    for (const [owed] of inFlight.byConnection()) owed?.req.socket.destroy();
  }, GRACE_MS);
  if (acceptMs > 0) await delay(acceptMs);
  // A connection that is kept alive becomes idle when its last request ends, which nothing announces.
  const sweep = setInterval(() => {
    // Node takes an answer for sent as soon as all of it is there to send, and would cut it off.
    const isSending = inFlight
      .byConnection()
      .flat()
      .some(({ writableEnded }) => writableEnded);
    if (!isSending) server.closeIdleConnections();
  }, IDLE_SWEEP_MS);
  // Not the HTTP server's own, which begins with such a sweep.
  await new Promise<unknown>((resolve) => NetServer.prototype.close.call(server, resolve));
  clearInterval(sweep);
  clearTimeout(cutOff);
}
