import type { MessagePort } from 'node:worker_threads';
import { WalCheckpointer } from './wal-checkpointer.js';

const LOOK_EVERY_MS = 100;

/** The length of the write-ahead log, which the thread reports when a reader blocks the emptying of the log. */
export interface HeldReport {
  readonly bytes: number;
}

/** Checkpoints the write-ahead log of a database until the message `stop` arrives on `port`. */
export async function serveWalCheckpointer(port: MessagePort, file: string): Promise<void> {
  const checkpointer = new WalCheckpointer(file, (bytes) =>
    port.postMessage({ bytes } satisfies HeldReport),
  );
  const watch = setInterval(() => {
    try {
      checkpointer.lookAround();
    } catch {
      // The next look tries again. If the fault lasts, an append fails and reports it.
    }
  }, LOOK_EVERY_MS);
  await new Promise((resolve) => port.once('message', resolve));
  clearInterval(watch);
  checkpointer.close();
  port.close();
}
