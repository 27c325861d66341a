import { statSync } from 'node:fs';
import { isSystemError } from '../kernel/system-error.js';

/** Which file is at each path: device and inode. A path without a file is absent. */
export type FileIdentities = Readonly<Record<string, string>>;

/** Uses `stat` alone: to close a file that SQLite has open drops the locks of SQLite. */
export function identitiesOf(paths: readonly string[]): FileIdentities {
  const identities: Record<string, string> = {};
  for (const path of paths) {
    const identity = identityOf(path);
    if (identity !== undefined) identities[path] = identity;
  }
  return identities;
}

/** Says for an operator which file was removed or replaced first; undefined when all are in place. */
export function changeOf(identities: FileIdentities): string | undefined {
  for (const [path, before] of Object.entries(identities)) {
    const now = identityOf(path);
    if (now === undefined) return `${path} was removed`;
    if (now !== before) return `${path} was replaced`;
  }
  return undefined;
}

/**
 * Open files that must stay at their paths: writes to a file without a name are lost with the process. Once a file was
 * removed or replaced, that is remembered, even when a file comes back to its path.
 */
export class FilesInPlace {
  #before: FileIdentities = {};
  #problem: string | undefined;

  /** @param onLoss called once. */
  constructor(
    private readonly paths: readonly string[],
    private readonly onLoss: (problem: string) => void,
  ) {}

  /** To be called when all files are open. A path without a file is not watched. */
  opened(): void {
    this.#before = identitiesOf(this.paths);
  }

  /** Whether a path still has the file that was there when all were opened. */
  has(path: string): boolean {
    return this.#before[path] !== undefined && this.#before[path] === identityOf(path);
  }

  /** Says which file was removed or replaced since `opened`; undefined when none was. */
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
