import { statSync } from 'node:fs';
import { isSystemError } from '../kernel/system-error.js';

/** Which file is at each path: device and inode. A path without a file is absent. */
export type FileIdentities = Readonly<Record<string, string>>;

/** Looks by `stat` alone: to close a file that SQLite has open drops the locks that SQLite holds on it. */
export function identitiesOf(paths: readonly string[]): FileIdentities {
  const identities: Record<string, string> = {};
  for (const path of paths) {
    const identity = identityOf(path);
    if (identity !== undefined) identities[path] = identity;
  }
  return identities;
}

/** What became of the first file that is no longer where it was, in words for an operator; undefined when all are. */
export function changeOf(identities: FileIdentities): string | undefined {
  for (const [path, before] of Object.entries(identities)) {
    const now = identityOf(path);
    if (now === undefined) return `${path} was removed`;
    if (now !== before) return `${path} was replaced`;
  }
  return undefined;
}

/**
 * Files that are open and must stay where they are: what is written to a file without its name is gone with the process.
 * Once one was removed or replaced it stays so, whatever comes to its path.
 */
export class FilesInPlace {
  #before: FileIdentities = {};
  #problem: string | undefined;

  /** @param onLoss told once. */
  constructor(
    private readonly paths: readonly string[],
    private readonly onLoss: (problem: string) => void,
  ) {}

  /** To be called when all are open. A path without a file is not watched. */
  opened(): void {
    this.#before = identitiesOf(this.paths);
  }

  /** Whether a path still has the file that was there when all were opened. */
  has(path: string): boolean {
    return this.#before[path] !== undefined && this.#before[path] === identityOf(path);
  }

  /** What became of the first file that was removed or replaced since, if any was. */
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
