import { ExclusiveFile } from '../../sqlite/exclusive-file.js';

/** Leases of this thread: each is an empty file that its holder has for itself. */
export class LeaseLocks {
  readonly #files = new Map<string, ExclusiveFile>();
  readonly #holders = new Map<string, string>();

  constructor(private readonly fileOf: (lease: string) => string) {}

  /** Takes a lease if it is free. @returns whether the holder has the lease now. */
  take(lease: string, holder: string): boolean {
    const held = this.#holders.get(lease);
    if (held !== undefined) return held === holder;
    const file = this.#files.get(lease) ?? new ExclusiveFile(this.fileOf(lease));
    this.#files.set(lease, file);
    const isTaken = file.take();
    if (isTaken) this.#holders.set(lease, holder);
    return isTaken;
  }

  release(lease: string, holder: string): void {
    if (this.#holders.get(lease) !== holder) return;
    this.#holders.delete(lease);
    this.#files.get(lease)?.release();
  }

  close(): void {
    this.#holders.clear();
    for (const file of this.#files.values()) file.release();
  }
}
