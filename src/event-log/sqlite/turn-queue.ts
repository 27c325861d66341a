/** A queue in which owners take turns: one that has much waiting holds up nobody else. */
export class TurnQueue<Item> {
  /** Those of an owner in their order; the owner whose turn is next comes first. */
  readonly #lines = new Map<string, Item[]>();
  #length = 0;

  get length(): number {
    return this.#length;
  }

  push(owner: string, item: Item): void {
    const line = this.#lines.get(owner);
    if (line) line.push(item);
    else this.#lines.set(owner, [item]);
    this.#length += 1;
  }

  /** Takes the first item of the owner whose turn it is. @returns undefined when nothing waits. */
  take(): Item | undefined {
    for (const [owner, line] of this.#lines) {
      const item = line.shift();
      this.#lines.delete(owner);
      if (line.length > 0) this.#lines.set(owner, line);
      this.#length -= 1;
      return item;
    }
    return undefined;
  }
}
