import { hash } from 'node:crypto';
import { endUserStream } from './domain/end-user.js';

/** The stream of an end user. The organization's id has a fixed length, so no two pairs give the same text. */
export function streamOf(organizationId: string, user: string): string {
  return endUserStream(hash('sha256', organizationId + user, 'hex'));
}
