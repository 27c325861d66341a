import { statSync } from 'node:fs';
import { userInfo } from 'node:os';

/** The name of whoever runs the command; a container may run it under a number that has no name. */
export function operatorName(): string {
  try {
    return userInfo().username;
  } catch {
    return `uid:${process.getuid?.() ?? 'unknown'}`;
  }
}

/**
 * Goes on as the owner of a directory where it is root who runs the command: what is made there the service must be able
 * to write, and nothing that its user put there, such as a link, may lead root elsewhere. There is no way back.
 */
export function goOnAsOwnerOf(directory: string): void {
  if (process.getuid?.() !== 0) return;
  const owner = statSync(directory, { throwIfNoEntry: false });
  if (owner === undefined || owner.uid === 0) return;
  process.setgroups?.([owner.gid]);
  process.setgid?.(owner.gid);
  process.setuid?.(owner.uid);
}
