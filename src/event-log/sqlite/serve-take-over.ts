import type { MessagePort } from 'node:worker_threads';
import { TakeOver } from './take-over.js';

const LOOK_EVERY_MS = 100;

/** What the thread tells: that a reader keeps the write-ahead log, of so many bytes. */
export interface HeldReport {
  readonly bytes: number;
}

/** Takes the write-ahead log of a database over until `port` brings a message, which says stop. */
export async function serveTakeOver(port: MessagePort, file: string): Promise<void> {
  const takeOver = new TakeOver(file, (bytes) => port.postMessage({ bytes } satisfies HeldReport));
  const watch = setInterval(() => {
    try {
      takeOver.lookAround();
    } catch {
      // Tried again soon; a fault that lasts is met, and told, by whoever appends.
    }
  }, LOOK_EVERY_MS);
  await new Promise((resolve) => port.once('message', resolve));
  clearInterval(watch);
  takeOver.close();
  port.close();
}
