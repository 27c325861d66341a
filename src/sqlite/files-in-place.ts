import { statSync } from 'node:fs';
import { isSystemError } from '../kernel/system-error.js';

/** The device and inode of the file at each path. A path without a file is absent. */
export type FileIdentities = Readonly<Record<string, string>>;

/** Returns the identities of files. Uses only `stat`: closing a file that SQLite has open would drop SQLite's locks. */
export function identitiesOf(paths: readonly string[]): FileIdentities {
  const identities: Record<string, string> = {};
  for (const path of paths) {
    const identity = identityOf(path);
    if (identity !== undefined) identities[path] = identity;
  }
  return identities;
}

/** Describes, for an operator, the first listed file that was removed or replaced; undefined when all are in place. */
export function changeOf(identities: FileIdentities): string | undefined {
  for (const [path, before] of Object.entries(identities)) {
    const now = identityOf(path);
    if (now === undefined) return `${path} was removed`;
    if (now !== before) return `${path} was replaced`;
  }
  return undefined;
}

/**
 * Open files that must stay at their paths, because writes to a removed file are lost when the process ends. After a
 * file was removed or replaced, the problem remains, even when a file returns to the path.
 */
export class FilesInPlace {
  #before: FileIdentities = {};
  #problem: string | undefined;

  /** @param onLoss is called once, when `problem` finds a removed or replaced file. */
  constructor(
    private readonly paths: readonly string[],
    private readonly onLoss: (problem: string) => void,
  ) {}

  /** Begins to watch the files. Callers call it when all files are open. A path without a file is not watched. */
  opened(): void {
    this.#before = identitiesOf(this.paths);
  }

  /** Whether a path still has the file that it had at `opened`. */
  has(path: string): boolean {
    return this.#before[path] !== undefined && this.#before[path] === identityOf(path);
  }

  /** Returns which file was removed or replaced since `opened`; undefined when all files are in place. */
  problem(): string | undefined {
    if (this.#problem !== undefined) return this.#problem;
    const change = changeOf(this.#before);
    if (change === undefined) return undefined;
    this.#problem = `${change} while it was in use; restart the service`;
    this.onLoss(this.#problem);
    return this.#problem;
  }
}

function identityOf(path: string): string | undefined {
  try {
    const { dev, ino } = statSync(path, { bigint: true });
    return `${dev}:${ino}`;
  } catch (error) {
    if (isSystemError(error)) return undefined;
    throw error;
  }
}
