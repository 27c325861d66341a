import type { CallHandler } from '@nestjs/common';
import type { Response } from 'express';
import { finalize, type Observable } from 'rxjs';

/** A function that frees a slot of the semaphore. Only the first call has an effect. */
export type Release = () => void;

interface Queue {
  taken: number;
  /** The callbacks of waiting holders, in order of arrival. */
  readonly waiting: ((release: Release) => void)[];
}

/** Semaphores by key, such as an account id. A key has a fixed number of slots. Further holders wait in order. */
export class KeyedSemaphore {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly slots: number) {}

  /** Takes a slot of the key. @returns undefined when all slots of the key are taken. */
  tryAcquire(key: string): Release | undefined {
    const queue = this.#queues.get(key) ?? { taken: 0, waiting: [] };
    if (queue.taken >= this.slots) return undefined;
    queue.taken += 1;
    this.#queues.set(key, queue);
    return this.#slot(key, queue);
  }

  async acquire(key: string): Promise<Release> {
    const release = this.tryAcquire(key);
    return release ?? new Promise((enter) => this.#queues.get(key)?.waiting.push(enter));
  }

  #slot(key: string, queue: Queue): Release {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      const enter = queue.waiting.shift();
      if (enter) {
        enter(this.#slot(key, queue));
        return;
      }
      queue.taken -= 1;
      if (queue.taken === 0) this.#queues.delete(key);
    };
  }
}

/**
 * Passes a request to its handler, and frees its slot when both the handler and the answer have ended. A handler
 * continues after its caller has disconnected, and an answer uses memory until it is sent.
 */
export function holdingSlot(
  release: Release,
  response: Response,
  next: CallHandler,
): Observable<unknown> {
  let remaining = 2;
  const end = (): void => {
    remaining -= 1;
    if (remaining === 0) release();
  };
  // A response that is closed emits no further close event.
  if (response.destroyed) remaining = 1;
  else response.once('close', end);
  return next.handle().pipe(finalize(end));
}
