import { statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** Returns the name of the user. In a container, the user may have only a number. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}

/** Says which user may not use a file, because root continues as another one; else nothing. */
export function deniedUserNote(error: unknown): string {
  const isDenied = error instanceof Error && 'code' in error && error.code === 'EACCES';
  return isDenied ? ` (user ${operatorName()}: root continues as the owner of DATA_DIR)` : '';
}

/**
 * Permanently switches this process, if it runs as root, to the owner of a directory. So the
 * service can write the files that the command creates, and a symbolic link in the directory cannot
 * lead root elsewhere.
 */
export function switchToOwnerOf(directory: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (owner === undefined || owner.uid === 0) return;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}
