import { hash, randomBytes } from 'node:crypto';
import { crc32 } from 'node:zlib';

/** The first characters of a key string: `sk` for an API key, `mk` for a management key. */
export type KeyPrefix = 'sk-v1-' | 'mk-v1-';

const RANDOM_BYTES = 28;
const CHECKSUM_DIGITS = 8;
const ANYWHERE = /(?:sk|mk)-v1-[0-9a-f]{64}/;
const EVERYWHERE = new RegExp(ANYWHERE, 'g');
const FORM = new RegExp(`^${ANYWHERE.source}$`);

/**
 * Makes a new key string (docs/api.md 3.1): the prefix, 56 random hex digits and 8 hex digits of
 * checksum. The caller shows the key string once, and stores only the hash.
 */
export function mintKeyString(prefix: KeyPrefix): string {
  const body = prefix + randomBytes(RANDOM_BYTES).toString('hex');
  return body + crc32(body).toString(16).padStart(CHECKSUM_DIGITS, '0');
}

/** Returns the SHA-256 of a key string in lower-case hex, which is the id of the key everywhere. */
export function hashKeyString(keyString: string): string {
  return hash('sha256', keyString, 'hex');
}

/** Whether a text contains the form of a key string, and so is neither stored nor logged. */
export function containsKeyStringForm(text: string): boolean {
  return ANYWHERE.test(text);
}

/** Whether a text contains a key string with a valid checksum: it may be a key of this service. */
export function containsValidKeyString(text: string): boolean {
  // Nearly every text is none, and one test is quicker than an iterator.
  if (!containsKeyStringForm(text)) return false;
  for (const [found] of text.matchAll(EVERYWHERE)) if (isKeyString(found)) return true;
  return false;
}

export function isKeyHash(candidate: string): boolean {
  return /^[0-9a-f]{64}$/.test(candidate);
}

/** Whether 64 characters make a key string when a prefix is put before them. */
export function isTailOfKeyString(text: string): boolean {
  return isKeyString(`sk-v1-${text}`) || isKeyString(`mk-v1-${text}`);
}

/**
 * The form of a string that somebody presents, which says what it may open. `foreign` strings do
 * not begin like ours, and `broken` ones open nothing: they have no form of a key, or begin like
 * ours and have a wrong length, alphabet or checksum.
 */
export type StringForm = 'api-key' | 'management-key' | 'foreign' | 'broken';

const FOREIGN = /^[\x21-\x7e]{1,512}$/;

export function formOf(presented: string): StringForm {
  const isApiKey = presented.startsWith('sk-v1-');
  if (isApiKey || presented.startsWith('mk-v1-')) {
    if (!isKeyString(presented)) return 'broken';
    return isApiKey ? 'api-key' : 'management-key';
  }
  return FOREIGN.test(presented) ? 'foreign' : 'broken';
}

/** Whether a string is a key string with a valid checksum. No key with it need exist. */
function isKeyString(candidate: string): boolean {
  if (!FORM.test(candidate)) return false;
  const body = candidate.slice(0, -CHECKSUM_DIGITS);
  const digits = candidate.slice(-CHECKSUM_DIGITS);
  return crc32(body) === Number.parseInt(digits, 16);
}
