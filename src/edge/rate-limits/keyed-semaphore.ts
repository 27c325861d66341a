import type { Response } from 'express';
import { onceClosed } from '../http/server/once-closed.js';

/** A function that frees a slot of the semaphore. Only the first call has an effect. */
export type Release = () => void;

interface Queue {
  taken: number;
  /** The waiting tasks, in order of arrival. */
  readonly waiting: Set<{ amount: number; enter: (release: Release) => void }>;
}

/** Semaphores by key, such as an account id, with a fixed number of slots. Others wait in order. */
export class KeyedSemaphore {
  readonly #queues = new Map<string, Queue>();

  constructor(private readonly slots: number) {}

  /** Takes slots of the key. @returns undefined when too few are free, or others wait for them. */
  tryAcquire(key: string, amount = 1): Release | undefined {
    const queue = this.#queues.get(key) ?? { taken: 0, waiting: new Set() };
    if (queue.waiting.size > 0 || queue.taken + amount > this.slots) return undefined;
    this.#queues.set(key, queue);
    return this.#take(key, queue, amount);
  }

  /** Takes slots as soon as they are free. @returns undefined when the caller disconnects first. */
  async acquire(key: string, response: Response, amount = 1): Promise<Release | undefined> {
    if (response.destroyed) return undefined;
    const release = this.tryAcquire(key, amount);
    const queue = this.#queues.get(key);
    if (release || !queue) return release;
    return new Promise((enter) => {
      const waiter = { amount, enter };
      queue.waiting.add(waiter);
      response.once('close', () => {
        if (!queue.waiting.delete(waiter)) return;
        enter(undefined);
        this.#admit(key, queue);
      });
    });
  }

  #take(key: string, queue: Queue, amount: number): Release {
    queue.taken += amount;
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      queue.taken -= amount;
      this.#admit(key, queue);
    };
  }

  #admit(key: string, queue: Queue): void {
    for (const waiter of queue.waiting) {
      if (queue.taken + waiter.amount > this.slots) return;
      queue.waiting.delete(waiter);
      waiter.enter(this.#take(key, queue, waiter.amount));
    }
    if (queue.taken === 0) this.#queues.delete(key);
  }
}

/**
 * Frees a slot when both the handler of a request and its answer have ended. A handler continues
 * after its caller has disconnected, and an answer uses memory until it is sent.
 * @returns the function to call when the handler has ended.
 */
export function holdSlot(release: Release, response: Response): () => void {
  let remaining = 2;
  const end = (): void => {
    remaining -= 1;
    if (remaining === 0) release();
  };
  onceClosed(response, end);
  return end;
}
