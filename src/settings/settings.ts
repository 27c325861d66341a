import { z } from 'zod';
import { isBrokenKeyString } from '../key-strings/key-string.js';
import { parseEventStoreDbConnectionString } from './eventstoredb-connection-string.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** Settings of which not even a wrong value may be shown. */
const SECRETS = new Set([
  'BOOTSTRAP_MANAGEMENT_KEY',
  'EVENTSTOREDB_CONNECTION_STRING',
  'MONGODB_URI',
]);

function text<Value>(takes: string, parse: (text: string) => Value | undefined) {
  return z.string().transform((value, context): Value => {
    const parsed = parse(value);
    if (parsed !== undefined) return parsed;
    context.addIssue({ code: 'custom', message: takes });
    return z.NEVER;
  });
}

const schema = z.object({
  HOST: text('a host name or address', (value) =>
    /^\S+$/.test(value) ? value : undefined,
  ).default('127.0.0.1'),
  PORT: text('a whole number from 0 to 65535 (0 picks a free port)', (value) =>
    /^\d{1,5}$/.test(value) && Number(value) <= 65_535 ? Number(value) : undefined,
  ).default(3000),
  DATA_DIR: text('a path', (value) => value || undefined).default('./data'),
  EVENTSTOREDB_CONNECTION_STRING: text(
    'esdb://USER:PASSWORD@HOST:PORT or esdb+discover://…, with known options only; without a user only with tls=false',
    parseEventStoreDbConnectionString,
  ).optional(),
  MONGODB_URI: text(
    'a URI that begins with mongodb:// or mongodb+srv:// and names a host',
    (value) => (/^mongodb(\+srv)?:\/\/[^\s/?]+\S*$/.test(value) ? value : undefined),
  ).optional(),
  BOOTSTRAP_MANAGEMENT_KEY: text(
    '32 to 256 printable ASCII characters without spaces; one that begins like a key of this service must have a right checksum',
    (value) =>
      /^[\x21-\x7e]{32,256}$/.test(value) && !isBrokenKeyString(value) ? value : undefined,
  ).optional(),
  RATE_LIMIT_KEY_CREATION: text(
    'COUNT/SECONDSs, such as 600/60s, both at least 1, or off',
    parseRateLimit,
  ).default({ count: 600, seconds: 60 }),
  READ_YOUR_WRITES_TIMEOUT: text('a duration such as 2s or 500ms, of at most 60s', (value) =>
    parseDuration(value, 60_000),
  ).default(2_000),
  SHUTDOWN_DELAY: text('a duration such as 2s or 500ms, of at most 5s', (value) =>
    parseDuration(value, 5_000),
  ).default(0),
  LOG_LEVEL: text(`one of ${LOG_LEVELS.join(', ')}`, (value) =>
    LOG_LEVELS.find((level) => level === value),
  ).default('info'),
});

function parseRateLimit(value: string): { count: number; seconds: number } | 'off' | undefined {
  if (value === 'off') return 'off';
  const [, count, seconds] = /^([1-9]\d{0,8})\/([1-9]\d{0,5})s$/.exec(value) ?? [];
  if (count === undefined || seconds === undefined) return undefined;
  return { count: Number(count), seconds: Number(seconds) };
}

/** @returns milliseconds. */
function parseDuration(value: string, most: number): number | undefined {
  const [, amount, unit] = /^(\d{1,6})(ms|s)$/.exec(value) ?? [];
  if (amount === undefined) return undefined;
  const milliseconds = Number(amount) * (unit === 's' ? 1_000 : 1);
  return milliseconds <= most ? milliseconds : undefined;
}

/** What the operator may set; docs/api.md 8.2 lists each with its meaning. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  readonly dataDir: string;
  /** Set: the event log is EventStoreDB. Else it is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** Of the database that holds the read models; absent, they are embedded. */
  readonly mongodbUri: string | undefined;
  readonly bootstrapManagementKey: string | undefined;
  readonly keyCreationLimit: { readonly count: number; readonly seconds: number } | 'off';
  readonly readYourWritesTimeoutMs: number;
  /** For how long requests are still accepted after SIGTERM. */
  readonly shutdownDelayMs: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** Whether anything is kept in the data directory; replicas that keep all on servers need none. */
export function usesDataDir({ eventStoreDbConnectionString, mongodbUri }: Settings): boolean {
  return eventStoreDbConnectionString === undefined || mongodbUri === undefined;
}

/** The settings do not allow a start. `faults` has one line for each, naming the variable. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/**
 * Reads the settings from environment variables; an empty variable counts as absent.
 * @throws SettingsError listing every fault at once.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = environment[name];
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const unknown = Object.keys(environment)
    .filter((name) => name.startsWith('KEYLEDGER_'))
    .map((name) => `${name}: got a value that is not shown; there is no such setting`);
  const parsed = schema.safeParse(given);
  const wrong = (parsed.error?.issues ?? []).map(({ path: [variable], message }) => {
    const name = String(variable);
    const got = SECRETS.has(name) ? 'a value that is not shown' : JSON.stringify(given[name]);
    return `${name}: got ${got}; takes ${message}`;
  });
  const faults = [...wrong, ...unknown];
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults);
  const { data } = parsed;
  return Object.freeze({
    host: data.HOST,
    port: data.PORT,
    dataDir: data.DATA_DIR,
    eventStoreDbConnectionString: data.EVENTSTOREDB_CONNECTION_STRING,
    mongodbUri: data.MONGODB_URI,
    bootstrapManagementKey: data.BOOTSTRAP_MANAGEMENT_KEY,
    keyCreationLimit: data.RATE_LIMIT_KEY_CREATION,
    readYourWritesTimeoutMs: data.READ_YOUR_WRITES_TIMEOUT,
    shutdownDelayMs: data.SHUTDOWN_DELAY,
    logLevel: data.LOG_LEVEL,
  });
}

/** Reads the settings of this process. @throws SettingsError */
export function settingsOfProcess(): Settings {
  return readSettings(process.env);
}
