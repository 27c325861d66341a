import { isIP } from 'node:net';
import { z } from 'zod';
import type { RequestRate } from '../../edge/rate-limits/rate-limit.interceptor.js';
import type { StreamLimit } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { isBrokenKeyString } from '../../kernel/key-string.js';

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

/** Parses a text such as `600/60s`, with numbers of at least 1, or `off`. @returns undefined for any other form. */
function parseRateLimit(value: string): RequestRate | undefined {
  if (value === 'off') return 'off';
  const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})s$/.exec(value) ?? [];
  if (count === undefined || seconds === undefined) return undefined;
  return { count: Number(count), seconds: Number(seconds) };
}

/** Parses a duration such as `2s` or `500ms`. The bounds are in milliseconds. @returns milliseconds, or undefined. */
export function parseDuration(value: string, least: number, most: number): number | undefined {
  const [, amount, unit] = /^(\d{1,6})(ms|s)$/.exec(value) ?? [];
  if (amount === undefined) return undefined;
  const milliseconds = Number(amount) * (unit === 's' ? 1_000 : 1);
  return milliseconds >= least && milliseconds <= most ? milliseconds : undefined;
}

/** Parses a whole number in decimal digits. @returns undefined for another form or a number outside the bounds. */
function parseCount(value: string, least: number, most: number): number | undefined {
  if (!/^\d{1,9}$/.test(value)) return undefined;
  const count = Number(value);
  return count >= least && count <= most ? count : undefined;
}

/** Parses a text such as `4,64`. @returns undefined for any other form. */
export function parseStreamLimit(value: string): StreamLimit | undefined {
  const [ofAccount, inAll, ...others] = value
    .split(',')
    .map((number) => parseCount(number, 1, 10_000));
  if (ofAccount === undefined || inAll === undefined || others.length > 0) return undefined;
  return { ofAccount, inAll };
}

/** Parses addresses and networks such as `10.0.0.0/8`, separated by commas. @returns undefined if one is invalid. */
export function parseNetworks(value: string): readonly string[] | undefined {
  const networks = value.split(',').map((network) => network.trim());
  return networks.every(isNetwork) ? networks : undefined;
}

/** Parses an http or https URL without a user, a query or a fragment. @returns the URL without a slash at its end. */
export function parseHttpUrl(value: string): string | undefined {
  if (!URL.canParse(value)) return undefined;
  const url = new URL(value);
  if (!/^https?:$/.test(url.protocol) || url.hostname === '') return undefined;
  if (url.username !== '' || url.password !== '' || /[?#\s]/.test(value)) return undefined;
  return url.href.replace(/\/$/, '');
}

function isNetwork(text: string): boolean {
  const [, address = '', prefix] = /^([^/]+)(?:\/(\d{1,3}))?$/.exec(text) ?? [];
  const family = isIP(address);
  if (family === 0) return false;
  return prefix === undefined || Number(prefix) <= (family === 4 ? 32 : 128);
}
