/** A function that gives a slot back. Further calls do nothing. */
export type Release = () => void;

interface Queue {
  taken: number;
  /** The callbacks of waiting holders, in order of arrival. */
  readonly waiting: Set<(release: Release) => void>;
}

/** A semaphore for each key. It bounds how many holders of the same key work at once. Further holders wait in order. */
export class KeyedSemaphore {
  readonly #queues = new Map<string, Queue>();

  /** @param slots how many holders each key has at once. */
  constructor(private readonly slots: number) {}

  /** Takes a slot. @returns undefined when every slot of the key is taken. */
  tryAcquire(key: string): Release | undefined {
    const queue = this.#queues.get(key) ?? { taken: 0, waiting: new Set() };
    if (queue.taken >= this.slots) return undefined;
    queue.taken += 1;
    this.#queues.set(key, queue);
    return this.#slot(key, queue);
  }

  /**
   * Waits for a slot of a key whose slots are all taken.
   * @param enter is called with the slot.
   * @returns a function that leaves the queue.
   * @throws Error when a slot of the key is free.
   */
  wait(key: string, enter: (release: Release) => void): () => void {
    const waiting = this.#queues.get(key)?.waiting;
    if (!waiting) throw new Error('a slot of the key is free');
    waiting.add(enter);
    return () => void waiting.delete(enter);
  }

  #slot(key: string, queue: Queue): Release {
    let isTaken = true;
    return () => {
      if (!isTaken) return;
      isTaken = false;
      for (const enter of queue.waiting) {
        queue.waiting.delete(enter);
        enter(this.#slot(key, queue));
        return;
      }
      queue.taken -= 1;
      if (queue.taken === 0) this.#queues.delete(key);
    };
  }
}
