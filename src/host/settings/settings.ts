import { z } from 'zod';
import type { RequestRate } from '../../edge/rate-limits/rate-limit.interceptor.js';
import type { StreamLimit } from '../../edge/rate-limits/stream-limit.interceptor.js';
import { unusableOption } from './connection-options.js';
import {
  formOfConnectionString,
  parseEventStoreDbConnectionString,
} from './eventstoredb-connection-string.js';
import { count, host, managementKey, onOrOff, patience, port, rateLimit, text } from './forms.js';
import type { Quotas } from './limits.js';
import { readSecretFiles, SECRETS } from './secret-files.js';
import { unknownVariables } from './unknown-variables.js';
import { parseDuration, parseHttpUrl, parseNetworks, parseStreamLimit } from './values.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The names in `SECRETS` as strings, so that any name of a setting can be looked up. */
const SECRET_NAMES: ReadonlySet<string> = new Set(SECRETS);

/** The settings of the two stores on servers. Both stores are on servers, or both are embedded. */
const SERVERS = ['EVENTSTOREDB_CONNECTION_STRING', 'MONGODB_URI'] as const;

const schema = z.object({
  HOST: host().default('127.0.0.1'),
  PORT: port().default(3000),
  OPERATIONS_PORT: port().optional(),
  OPERATIONS_HOST: host().optional(),
  PUBLIC_URL: text(
    'an http or https URL without a user, a query or a fragment, such as https://keys.example.com',
    parseHttpUrl,
  ).optional(),
  DOCS: onOrOff().default(true),
  TRUSTED_PROXIES: text(
    'addresses and networks such as 10.0.0.0/8, separated by commas',
    parseNetworks,
  ).default([]),
  DATA_DIR: text('a path', (value) => value || undefined).default('./data'),
  EVENTSTOREDB_CONNECTION_STRING: text(
    formOfConnectionString,
    parseEventStoreDbConnectionString,
  ).optional(),
  EVENTSTOREDB_STREAM_PREFIX: text('1 to 32 letters, digits and underscores', (value) =>
    /^\w{1,32}$/.test(value) ? value : undefined,
  ).optional(),
  MONGODB_URI: text(
    (value) =>
      unusableOption(value) ??
      'a URI that begins with mongodb:// or mongodb+srv:// and names a host',
    (value) =>
      /^mongodb(\+srv)?:\/\/[^\s/?]+\S*$/.test(value) && unusableOption(value) === undefined
        ? value
        : undefined,
  ).optional(),
  BOOTSTRAP_MANAGEMENT_KEY: managementKey().optional(),
  RATE_LIMIT_KEY_CREATION: rateLimit('600/60s').default({ count: 600, seconds: 60 }),
  RATE_LIMIT_WRITES: rateLimit('60000/60s').default('off'),
  RATE_LIMIT_STREAMS: text(
    'two whole numbers from 1 to 10000: streams of an account, streams in all, such as 4,64',
    parseStreamLimit,
  ).default({ ofAccount: 4, inAll: 64 }),
  QUOTA_WORKSPACES: count(1_000_000).default(1_000),
  QUOTA_MANAGEMENT_KEYS: count(1_000_000).default(1_000),
  QUOTA_MEMBERS: count(1_000_000).default(10_000),
  QUOTA_WORKSPACE_MEMBERS: count(10_000_000).default(100_000),
  QUOTA_API_KEYS: count(999_999_999).default(1_000_000),
  MAX_CONNECTIONS: count(1_000_000).default(4_096),
  KEEP_ALIVE_TIMEOUT: patience(1_000, 3_600_000).default(75_000),
  READ_YOUR_WRITES_TIMEOUT: text('a duration such as 2s or 500ms, of at most 60s', (value) =>
    parseDuration(value, 0, 60_000),
  ).default(2_000),
  VERIFY_MAX_STALENESS: patience(1_000, 60_000).default(10_000),
  SHUTDOWN_DELAY: text('a duration such as 2s or 500ms, of at most 5s', (value) =>
    parseDuration(value, 0, 5_000),
  ).default(0),
  LOG_LEVEL: text(`one of ${LOG_LEVELS.join(', ')}`, (value) =>
    LOG_LEVELS.find((level) => level === value),
  ).default('info'),
});

/** The name of an environment variable that is a setting. */
export type Variable = keyof typeof schema.shape;

/** The settings of the service. docs/settings.md explains each. */
export interface Settings {
  readonly host: string;
  readonly port: number;
  /** The host and TCP port of metrics and detailed health. Undefined if the port of the API serves both. */
  readonly operations: { readonly host: string; readonly port: number } | undefined;
  /** The URL at which callers reach the service, without a slash at the end. */
  readonly publicUrl: string | undefined;
  /** Whether `/docs` and the OpenAPI document are served. */
  readonly docs: boolean;
  /** Addresses and networks of proxies whose `X-Forwarded-For` the service trusts. */
  readonly trustedProxies: readonly string[];
  readonly dataDir: string;
  /** The connection string of the log server. Undefined if the event log is embedded. */
  readonly eventStoreDbConnectionString: string | undefined;
  /** The prefix of stream names on the log server. Undefined for the default prefix. */
  readonly eventStoreDbStreamPrefix: string | undefined;
  /** The URI of the server of the read models. Undefined if the read models are embedded. */
  readonly mongodbUri: string | undefined;
  readonly bootstrapManagementKey: string | undefined;
  readonly keyCreationLimit: RequestRate;
  readonly writeLimit: RequestRate;
  readonly streamLimit: StreamLimit;
  readonly quotas: Quotas;
  readonly maxConnections: number;
  /** How long a connection without a request stays open. */
  readonly keepAliveTimeoutMs: number;
  readonly readYourWritesTimeoutMs: number;
  /** The maximum age of the keys in memory for a verification. When they are older, the answer is 503. */
  readonly verifyMaxStalenessMs: number;
  /** How long the service accepts requests after SIGTERM. */
  readonly shutdownDelayMs: number;
  readonly logLevel: (typeof LOG_LEVELS)[number];
}

/** Whether both stores are files in the data directory. Otherwise both are servers, and nothing is in the data directory. */
export function isEmbedded({ mongodbUri }: Settings): boolean {
  return mongodbUri === undefined;
}

/** The error when settings are invalid. `faults` has one line for each fault, with the name of the variable. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/**
 * Reads the settings from environment variables, and secrets from files that variables name (docs/settings.md). An empty
 * variable counts as absent.
 * @throws SettingsError that lists all faults.
 */
export function readSettings(environment: Readonly<Record<string, string | undefined>>): Settings {
  const files = readSecretFiles(environment);
  const given = Object.fromEntries(
    Object.keys(schema.shape).flatMap((name) => {
      const value = files.faults.has(name) ? '' : (files.values.get(name) ?? environment[name]);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const parsed = schema.safeParse(given);
  const wrong = (parsed.error?.issues ?? []).map(({ path: [variable], message }) => {
    const name = String(variable);
    const got = SECRET_NAMES.has(name) ? 'a value that is not shown' : JSON.stringify(given[name]);
    const source = files.sources.get(name);
    if (source !== undefined) return `${source} holds ${got}; takes ${message}`;
    return `${name}: got ${got}; takes ${message}`;
  });
  const servers = SERVERS.filter((name) => given[name] !== undefined || files.faults.has(name));
  const alone =
    servers.length === 1
      ? [`${SERVERS.join(' and ')}: got only ${String(servers[0])}; takes both or neither`]
      : [];
  const faults = [...wrong, ...files.faults.values(), ...unknownVariables(environment), ...alone];
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults);
  const { data } = parsed;
  return Object.freeze({
    host: data.HOST,
    port: data.PORT,
    operations:
      data.OPERATIONS_PORT === undefined
        ? undefined
        : { host: data.OPERATIONS_HOST ?? data.HOST, port: data.OPERATIONS_PORT },
    publicUrl: data.PUBLIC_URL,
    docs: data.DOCS,
    trustedProxies: data.TRUSTED_PROXIES,
    dataDir: data.DATA_DIR,
    eventStoreDbConnectionString: data.EVENTSTOREDB_CONNECTION_STRING,
    eventStoreDbStreamPrefix: data.EVENTSTOREDB_STREAM_PREFIX,
    mongodbUri: data.MONGODB_URI,
    bootstrapManagementKey: data.BOOTSTRAP_MANAGEMENT_KEY,
    keyCreationLimit: data.RATE_LIMIT_KEY_CREATION,
    writeLimit: data.RATE_LIMIT_WRITES,
    streamLimit: data.RATE_LIMIT_STREAMS,
    quotas: {
      workspaces: data.QUOTA_WORKSPACES,
      managementKeys: data.QUOTA_MANAGEMENT_KEYS,
      members: data.QUOTA_MEMBERS,
      workspaceMembers: data.QUOTA_WORKSPACE_MEMBERS,
      apiKeys: data.QUOTA_API_KEYS,
    },
    maxConnections: data.MAX_CONNECTIONS,
    keepAliveTimeoutMs: data.KEEP_ALIVE_TIMEOUT,
    readYourWritesTimeoutMs: data.READ_YOUR_WRITES_TIMEOUT,
    verifyMaxStalenessMs: data.VERIFY_MAX_STALENESS,
    shutdownDelayMs: data.SHUTDOWN_DELAY,
    logLevel: data.LOG_LEVEL,
  });
}

/** Whether a variable of this process is set, itself or as the name of a file. */
export function isSet(name: Variable): boolean {
  return [name, `${name}_FILE`].some((variable) => (process.env[variable] ?? '') !== '');
}

/**
 * Reads the settings from the environment of this process.
 * @param names the variables to read; all others have their defaults. Default: every variable.
 * @throws SettingsError that lists all faults.
 */
export function settingsOfProcess(names: readonly string[] = Object.keys(schema.shape)): Settings {
  const read = Object.entries(process.env).filter(
    ([name]) => name.startsWith('KEYLEDGER_') || names.includes(name.replace(/_FILE$/, '')),
  );
  return readSettings(Object.fromEntries(read));
}
