import { isIP } from 'node:net';
import type { RequestRate } from '../../edge/rate-limits/rate-limit.interceptor.js';
import type { StreamLimit } from '../../edge/rate-limits/stream-limit.interceptor.js';

/** Parses a text such as `600/60s`, with numbers of at least 1, or `off`. @returns undefined for any other form. */
export function parseRateLimit(value: string): RequestRate | undefined {
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
export function parseCount(value: string, least: number, most: number): number | undefined {
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
