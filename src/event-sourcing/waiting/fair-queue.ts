/** A queue in which owners take turns, so that many items of one do not delay the others. */
export class FairQueue<Item> {
  /** The waiting items of each owner, oldest first, from the owner with the next turn on. */
  readonly #lines = new Map<string, Item[]>();
  /** The waiting items of held owners, who get no turn until `release`. */
  readonly #held = new Map<string, Item[]>();
  #length = 0;

  /** The number of waiting items, including the items of held owners. */
  get length(): number {
    return this.#length;
  }

  push(owner: string, item: Item): void {
    const line = this.#held.get(owner) ?? this.#lines.get(owner);
    if (line) line.push(item);
    else this.#lines.set(owner, [item]);
    this.#length += 1;
  }

  /** Removes the oldest item of the owner who is next; undefined when all that wait are held. */
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

  isHeld(owner: string): boolean {
    return this.#held.has(owner);
  }

  /** Gives an owner no turn until `release`. */
  hold(owner: string): void {
    if (this.#held.has(owner)) return;
    this.#held.set(owner, this.#lines.get(owner) ?? []);
    this.#lines.delete(owner);
  }

  /** Gives a held owner turns again, behind all other owners. */
  release(owner: string): void {
    const line = this.#held.get(owner) ?? [];
    this.#held.delete(owner);
    if (line.length > 0) this.#lines.set(owner, line);
  }
}
