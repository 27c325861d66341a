import { z } from 'zod';
import { unusableOption } from './connection-options.js';
import {
  formOfConnectionString,
  parseEventStoreDbConnectionString,
} from './eventstoredb-connection-string.js';
import {
  count,
  host,
  managementKey,
  onOrOff,
  patience,
  port,
  rateLimit,
  text,
  parseDuration,
  parseHttpUrl,
  parseNetworks,
  parseStreamLimit,
} from './forms.js';
import { readSecretFiles, SECRETS } from './secret-files.js';

const LOG_LEVELS = ['trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent'] as const;

/** The names in `SECRETS` as strings, so that any name of a setting can be looked up. */
const SECRET_NAMES: ReadonlySet<string> = new Set(SECRETS);

/** The settings of the two stores on servers. Both stores are on servers, or both are embedded. */
const SERVERS = ['EVENTSTOREDB_CONNECTION_STRING', 'MONGODB_URI'] as const;

/**
 * Matches the variables that Kubernetes and Docker set for a service whose name begins with keyledger:
 * `KEYLEDGER_SERVICE_HOST`, `KEYLEDGER_SERVICE_PORT_HTTP`, `KEYLEDGER_PORT_3000_TCP_ADDR`, `KEYLEDGER_PORT=tcp://…`.
 */
const OF_A_SERVICE =
  /^KEYLEDGER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|^KEYLEDGER_(\w+_)?PORT=(tcp|udp|sctp):/;

function setting<const Field extends string, Form extends z.ZodType>(
  field: Field,
  form: Form,
): { readonly field: Field; readonly form: Form } {
  return { field, form };
}

/** The settings: the variable, the field of `Settings`, and the form. docs/settings.md explains each. */
const TABLE = {
  HOST: setting('host', host().default('127.0.0.1')),
  PORT: setting('port', port().default(3000)),
  OPERATIONS_PORT: setting('operations.port', port().optional()),
  OPERATIONS_HOST: setting('operations.host', host().optional()),
  PUBLIC_URL: setting(
    'publicUrl',
    text(
      'an http or https URL without a user, a query or a fragment, such as https://keys.example.com',
      parseHttpUrl,
    ).optional(),
  ),
  DOCS: setting('docs', onOrOff().default(true)),
  TRUSTED_PROXIES: setting(
    'trustedProxies',
    text('addresses and networks such as 10.0.0.0/8, separated by commas', parseNetworks).default(
      [],
    ),
  ),
  DATA_DIR: setting('dataDir', text('a path', (value) => value || undefined).default('./data')),
  EVENTSTOREDB_CONNECTION_STRING: setting(
    'eventStoreDbConnectionString',
    text(formOfConnectionString, parseEventStoreDbConnectionString).optional(),
  ),
  EVENTSTOREDB_STREAM_PREFIX: setting(
    'eventStoreDbStreamPrefix',
    text('1 to 32 letters, digits and underscores', (value) =>
      /^\w{1,32}$/.test(value) ? value : undefined,
    ).optional(),
  ),
  MONGODB_URI: setting(
    'mongodbUri',
    text(
      (value) =>
        unusableOption(value) ??
        'a URI that begins with mongodb:// or mongodb+srv:// and names a host',
      (value) =>
        /^mongodb(\+srv)?:\/\/[^\s/?]+\S*$/.test(value) && unusableOption(value) === undefined
          ? value
          : undefined,
    ).optional(),
  ),
  BOOTSTRAP_MANAGEMENT_KEY: setting('bootstrapManagementKey', managementKey().optional()),
  RATE_LIMIT_KEY_CREATION: setting(
    'keyCreationLimit',
    rateLimit('600/60s').default({ count: 600, seconds: 60 }),
  ),
  RATE_LIMIT_WRITES: setting('writeLimit', rateLimit('60000/60s').default('off')),
  RATE_LIMIT_STREAMS: setting(
    'streamLimit',
    text(
      'two whole numbers from 1 to 10000: streams of an account, streams in all, such as 4,64',
      parseStreamLimit,
    ).default({ ofAccount: 4, inAll: 64 }),
  ),
  QUOTA_WORKSPACES: setting('quotas.workspaces', count(1_000_000).default(1_000)),
  QUOTA_MANAGEMENT_KEYS: setting('quotas.managementKeys', count(1_000_000).default(1_000)),
  QUOTA_MEMBERS: setting('quotas.members', count(1_000_000).default(10_000)),
  QUOTA_WORKSPACE_MEMBERS: setting('quotas.workspaceMembers', count(10_000_000).default(100_000)),
  QUOTA_API_KEYS: setting('quotas.apiKeys', count(999_999_999).default(1_000_000)),
  MAX_CONNECTIONS: setting('maxConnections', count(1_000_000).default(4_096)),
  KEEP_ALIVE_TIMEOUT: setting('keepAliveTimeoutMs', patience(1_000, 3_600_000).default(75_000)),
  READ_YOUR_WRITES_TIMEOUT: setting(
    'readYourWritesTimeoutMs',
    text('a duration such as 2s or 500ms, of at most 60s', (value) =>
      parseDuration(value, 0, 60_000),
    ).default(2_000),
  ),
  VERIFY_MAX_STALENESS: setting('verifyMaxStalenessMs', patience(1_000, 60_000).default(10_000)),
  SHUTDOWN_DELAY: setting(
    'shutdownDelayMs',
    text('a duration such as 2s or 500ms, of at most 5s', (value) =>
      parseDuration(value, 0, 5_000),
    ).default(0),
  ),
  LOG_LEVEL: setting(
    'logLevel',
    text(`one of ${LOG_LEVELS.join(', ')}`, (value) =>
      LOG_LEVELS.find((level) => level === value),
    ).default('info'),
  ),
};

type Table = typeof TABLE;

/** The values of the fields that stand in one part of the settings, such as `quotas.`. */
type Part<Prefix extends string> = {
  readonly [
    Name in keyof Table as Table[Name]['field'] extends `${Prefix}${infer Field}`
      ? Field extends `${string}.${string}`
        ? never
        : Field
      : never
  ]: z.output<Table[Name]['form']>;
};

/** The settings of the service. */
export type Settings = Part<''> & {
  readonly quotas: Part<'quotas.'>;
  /** The host and TCP port of metrics and detailed health. Undefined if the port of the API serves both. */
  readonly operations: { readonly host: string; readonly port: number } | undefined;
};

const SCHEMA = z.object(
  Object.fromEntries(Object.entries(TABLE).map(([name, { form }]) => [name, form])),
);

/** The name of an environment variable that is a setting. */
export type Variable = keyof Table;

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
    Object.keys(TABLE).flatMap((name) => {
      const value = files.faults.has(name) ? '' : (files.values.get(name) ?? environment[name]);
      return value === undefined || value === '' ? [] : [[name, value]];
    }),
  );
  const parsed = SCHEMA.safeParse(given);
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
  const { operations, ...settings } = inParts(parsed.data);
  const { port, host: ownHost = settings.host } = operations;
  return Object.freeze({
    ...settings,
    operations: port === undefined ? undefined : { host: ownHost, port },
  });
}

/** Puts each value at its field. */
function inParts(
  values: Readonly<Record<string, unknown>>,
): Omit<Settings, 'operations'> & { readonly operations: Part<'operations.'> } {
  const fields = Object.entries(TABLE).map(([name, { field }]) => [field, values[name]] as const);
  const partOf = (prefix: string): object =>
    Object.fromEntries(
      fields.flatMap(([field, value]) =>
        field.startsWith(prefix) ? [[field.slice(prefix.length), value]] : [],
      ),
    );
  const whole = Object.fromEntries(fields.filter(([field]) => !field.includes('.')));
  const parts = { ...whole, quotas: partOf('quotas.'), operations: partOf('operations.') };
  return parts as ReturnType<typeof inParts>;
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
export function settingsOfProcess(names: readonly string[] = Object.keys(TABLE)): Settings {
  const read = Object.entries(process.env).filter(
    ([name]) => name.startsWith('KEYLEDGER_') || names.includes(name.replace(/_FILE$/, '')),
  );
  return readSettings(Object.fromEntries(read));
}

/** Returns a message for each `KEYLEDGER_` variable, because no setting has this prefix. Skips `OF_A_SERVICE`. */
function unknownVariables(environment: Readonly<Record<string, string | undefined>>): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('KEYLEDGER_'))
    .filter((name) => !OF_A_SERVICE.test(`${name}=${environment[name] ?? ''}`))
    .map((name) => `${name}: got a value that is not shown; there is no such setting`);
}
