/** A read asks for more than those may take who come before all who wait. */
export class TooLong extends Error {
  override readonly name = 'TooLong';
}

/** How many characters of large documents one read may take. */
export class Budget {
  constructor(private left: number) {}

  /** @throws TooLong when that was more than is left. */
  spend(characters: number): void {
    this.left -= characters;
    if (this.left < 0) throw new TooLong();
  }
}
