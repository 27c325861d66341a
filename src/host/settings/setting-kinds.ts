import { isIP } from 'node:net';
import { z } from 'zod';
import type { RequestRate } from '../../edge/rate-limits/rate-limit.guard.js';
import type { StreamLimit } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { formOf } from '../../kernel/key-string.js';
import { parseWhole } from '../../kernel/text.js';
import { faultInEventStoreDb, faultInMongoDb } from './connection-strings.js';

// Each function creates the schema of a setting. The message of an issue says what it takes.

/** `parse` returns undefined for an invalid value. `takes` describes valid values. */
function parsedText<Value>(takes: string, parse: (text: string) => Value | undefined) {
  return z.string().transform((text, context): Value => {
    const value = parse(text);
    if (value !== undefined) return value;
    context.addIssue({ code: 'custom', message: takes });
    return z.NEVER;
  });
}

const checkedText = (takes: string, fits: (text: string) => boolean) =>
  z.string().refine(fits, takes);

/** `faultIn` says what the setting takes instead of an invalid value; undefined for a valid one. */
const faultlessText = (faultIn: (text: string) => string | undefined) =>
  z.string().superRefine((text, context) => {
    const message = faultIn(text);
    if (message !== undefined) context.addIssue({ code: 'custom', message });
  });

export const choice = <const Value extends string>(...values: readonly Value[]) =>
  z.enum(values, `one of ${values.join(', ')}`);

export const eventStoreDbString = () => faultlessText(faultInEventStoreDb);

export const mongoDbUri = () => faultlessText(faultInMongoDb);

export const host = () =>
  checkedText(
    'a host name or address, without a port, a scheme or brackets',
    (value) => isIP(value) !== 0 || /^[\w-]+(\.[\w-]+)*\.?$/.test(value),
  );

export const port = () =>
  parsedText('a whole number from 0 to 65535 (0 picks a free port)', (value) =>
    parseWhole(value, 0, 65_535),
  );

export const rateLimit = (example: string) =>
  parsedText(
    `COUNT/SECONDSs with a COUNT from 1 to 999999999 and SECONDS from 1 to 999999, such as ${example}, or off`,
    (value): RequestRate | undefined => {
      if (value === 'off') return 'off';
      const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})s$/.exec(value) ?? [];
      return count && seconds ? { count: Number(count), seconds: Number(seconds) } : undefined;
    },
  );

export const streamLimit = () =>
  parsedText(
    'two whole numbers from 1 to 10000: streams of an account, streams in all, such as 4,64',
    (value): StreamLimit | undefined => {
      const [ofAccount, inAll, ...others] = value
        .split(',')
        .map((number) => parseWhole(number, 1, 10_000));
      return ofAccount && inAll && others.length === 0 ? { ofAccount, inAll } : undefined;
    },
  );

/** Accepts a duration, and parses it to milliseconds. The bounds are in milliseconds too. */
export const duration = (least: number, most: number) =>
  parsedText(
    `a duration such as 2s or 500ms, from ${least / 1_000}s to ${most / 1_000}s`,
    (value) => {
      const [, amount = '', unit] = /^(\d+)(ms|s)$/.exec(value) ?? [];
      return parseWhole(unit === 's' ? `${amount}000` : amount, least, most);
    },
  );

export const managementKey = () =>
  checkedText(
    '32 to 256 printable ASCII characters without spaces; one that begins with mk-v1- must have a correct checksum, and none may begin with sk-v1-',
    (value) =>
      /^[\x21-\x7e]{32,256}$/.test(value) && ['management-key', 'foreign'].includes(formOf(value)),
  );

export const count = (most: number) =>
  parsedText(`a whole number from 1 to ${most}`, (value) => parseWhole(value, 1, most));

const NETWORKS =
  'addresses and networks such as 10.0.0.0/8, separated by commas, with a prefix of up to 32, or 128 for IPv6';

export const networks = () =>
  parsedText(NETWORKS, (value) => {
    const networks = value.split(',').map((network) => network.trim());
    return networks.every(isNetwork) ? networks : undefined;
  });

export const httpUrl = () =>
  parsedText(
    'an http or https URL without a user, a query or a fragment, such as https://keys.example.com',
    (value) => {
      if (!/^https?:\/\/[^\s?#@]+$/i.test(value) || !URL.canParse(value)) return undefined;
      return new URL(value).href.replace(/\/$/, '');
    },
  );

function isNetwork(text: string): boolean {
  const [address = '', prefix = '0', ...others] = text.split('/');
  const longest = isIP(address) === 4 ? 32 : 128;
  return isIP(address) !== 0 && parseWhole(prefix, 0, longest) !== undefined && !others.length;
}
