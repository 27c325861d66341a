import type { Server } from 'node:http';
import type { INestApplication } from '@nestjs/common';
import type { Logger } from 'pino';

const GRACE_MS = 10_000;
const IDLE_SWEEP_MS = 50;

/** What there is to stop, as soon as there is something. */
export interface Stopping {
  /** @param release called last. */
  begin(app: INestApplication, release: () => void): void;
}

/**
 * On SIGTERM or SIGINT: stops accepting, lets requests in flight finish (cut off after 10 s), stops the
 * projections at a checkpoint, closes everything and exits with 0; at once when nothing was begun yet. A second
 * signal exits at once.
 */
export function stopOnSignal(logger: Logger): Stopping {
  let close: (() => Promise<void>) | undefined;
  let stopping = false;
  const onSignal = (signal: NodeJS.Signals): void => {
    if (stopping) process.exit(1);
    // The first process of a container is not ended by a signal that it does not handle.
    if (!close) process.exit(0);
    stopping = true;
    logger.info({ msg: 'stopping', signal });
    close().then(
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
  return {
    begin(app, release) {
      close = async () => {
        await stop(app);
        release();
      };
    },
  };
}

async function stop(app: INestApplication): Promise<void> {
  await closeServer(app.getHttpServer() as Server);
  await app.close();
}

function closeServer(server: Server): Promise<void> {
  return new Promise((resolve) => {
    // A connection that is kept alive becomes idle when its last request ends, which nothing announces.
    const sweep = setInterval(() => server.closeIdleConnections(), IDLE_SWEEP_MS);
    const cutOff = setTimeout(() => server.closeAllConnections(), GRACE_MS);
    server.close(() => {
      clearInterval(sweep);
      clearTimeout(cutOff);
      resolve();
    });
  });
}
