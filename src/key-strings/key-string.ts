import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** What a key string is for, as its first characters say. */
export type KeyPrefix = 'sk-v1-' | 'mk-v1-';

const RANDOM_BYTES = 28;
const CHECKSUM_DIGITS = 8;
const ANYWHERE = /(?:sk|mk)-v1-[0-9a-f]{64}/;
const EVERYWHERE = new RegExp(ANYWHERE, 'g');
const FORM = new RegExp(`^${ANYWHERE.source}$`);

/**
 * A new key string (docs/api.md 3.1): prefix, 56 hex digits of randomness from the operating system, 8 hex digits of checksum.
 * The caller hands it to its owner once and keeps only its hash.
 */
export function mintKeyString(prefix: KeyPrefix): string {
  const body = prefix + randomBytes(RANDOM_BYTES).toString('hex');
  return body + checksum(body);
}

/** SHA-256 of the key string in lower-case hex: the name by which a key is known everywhere. */
export function hashKeyString(keyString: string): string {
  return hash('sha256', keyString, 'hex');
}

/** Whether there is something of the form of a key string in a text, which must be neither stored nor logged then. */
export function holdsKeyString(text: string): boolean {
  return ANYWHERE.test(text);
}

/** Whether a text contains a key string with the right checksum: one that this service may have made. */
export function containsKeyString(text: string): boolean {
  for (const [found] of text.matchAll(EVERYWHERE)) if (!isBrokenKeyString(found)) return true;
  return false;
}

/** Whether a string has the form of a key's hash; anything else names no key. */
export function isKeyHash(candidate: string): boolean {
  return /^[0-9a-f]{64}$/.test(candidate);
}

/**
 * Whether a string begins like a key of ours without being one: wrong length, alphabet or checksum.
 * Such a string is refused without a look-up; any other may be a key.
 */
export function isBrokenKeyString(candidate: string): boolean {
  if (!candidate.startsWith('sk-v1-') && !candidate.startsWith('mk-v1-')) return false;
  if (!FORM.test(candidate)) return true;
  const body = candidate.slice(0, -CHECKSUM_DIGITS);
  return checksum(body) !== candidate.slice(-CHECKSUM_DIGITS);
}

/** Whether a string is a key string of ours by its form and checksum. It says nothing of whether there is such a key. */
export function isKeyString(candidate: string): boolean {
  return FORM.test(candidate) && !isBrokenKeyString(candidate);
}

function checksum(body: string): string {
  return crc32(body).toString(16).padStart(CHECKSUM_DIGITS, '0');
}
