import { isIP } from 'node:net';
import { z } from 'zod';
import { isBrokenKeyString } from '../../kernel/key-string.js';
import { parseCount, parseDuration, parseRateLimit } from './values.js';

const HOST_NAME = /^[\w-]+(\.[\w-]+)*\.?$/;

/** Creates the schema of a setting. `parse` returns undefined for an invalid value. `takes` describes valid values. */
export function text<Value>(
  takes: string | ((text: string) => string),
  parse: (text: string) => Value | undefined,
) {
  return z.string().transform((value, context): Value => {
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    const message = typeof takes === 'string' ? takes : takes(value);
    context.addIssue({ code: 'custom', message });
    return z.NEVER;
  });
}

/** Accepts a host to listen on. */
export const host = () =>
  text('a host name or address, without a port, a scheme or brackets', (value) =>
    isIP(value) !== 0 || HOST_NAME.test(value) ? value : undefined,
  );

/** Accepts a TCP port to listen on. */
export const port = () =>
  text('a whole number from 0 to 65535 (0 picks a free port)', (value) =>
    parseCount(value, 0, 65_535),
  );

/** Accepts a rate limit such as `600/60s` (600 uses in 60 seconds), or `off`. */
export const rateLimit = (example: string) =>
  text(`COUNT/SECONDSs, such as ${example}, both at least 1, or off`, parseRateLimit);

/** Accepts a duration, and parses it to milliseconds. The bounds are in milliseconds too. */
export const patience = (least: number, most: number) =>
  text(`a duration such as 2s or 500ms, of ${least / 1_000}s to ${most / 1_000}s`, (value) =>
    parseDuration(value, least, most),
  );

/** Accepts `on` as true and `off` as false. */
export const onOrOff = () =>
  text('on or off', (value) => (value === 'on' || value === 'off' ? value === 'on' : undefined));

/** Accepts the key string of a management key. */
export const managementKey = () =>
  text(
    '32 to 256 printable ASCII characters without spaces; one that begins like a key of this service must have a right checksum',
    (value) =>
      /^[\x21-\x7e]{32,256}$/.test(value) && !isBrokenKeyString(value) ? value : undefined,
  );

/** Accepts a whole number from 1 to `most`. */
export const count = (most: number) =>
  text(`a whole number from 1 to ${most}`, (value) => parseCount(value, 1, most));
