/** A fair queue: owners take turns, so that a long line of one owner holds up no other. */
export class FairQueue<Item> {
  /** The items of each owner in their order. The owner with the next turn comes first. */
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

  /** Takes the first item of the owner with the next turn. @returns undefined when nothing waits. */
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
