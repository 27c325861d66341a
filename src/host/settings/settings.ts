import { resolve } from 'node:path';
import { z } from 'zod';
import {
  count,
  duration,
  eventStoreDbString,
  host,
  httpUrl,
  managementKey,
  mongoDbUri,
  networks,
  choice,
  port,
  rateLimit,
  streamLimit,
} from './setting-kinds.js';
import { suggestedSetting } from './suggested-setting.js';
import { readSecretFiles, SECRETS } from './secret-files.js';

/** The settings of the two stores on servers. Both stores are on servers, or both are embedded. */
const SERVERS = ['EVENTSTOREDB_CONNECTION_STRING', 'MONGODB_URI'] as const;

/**
 * Matches the variables that Kubernetes and Docker set for a service whose name begins with
 * keyledger: `KEYLEDGER_SERVICE_HOST`, `KEYLEDGER_SERVICE_PORT_HTTP`,
 * `KEYLEDGER_PORT_3000_TCP_ADDR`, `KEYLEDGER_PORT=tcp://…`.
 */
const OF_A_SERVICE =
  /^KEYLEDGER_(\w+_)?(SERVICE_HOST|SERVICE_PORT(_\w+)?|PORT_\d+_(TCP|UDP|SCTP)(_(PROTO|PORT|ADDR))?)=|^KEYLEDGER_(\w+_)?PORT=(tcp|udp|sctp):/;

/** The variables and their forms. docs/settings.md explains each. */
const SCHEMA = z.object({
  HOST: host().default('127.0.0.1'),
  PORT: port().default(3000),
  OPERATIONS_PORT: port().optional(),
  OPERATIONS_HOST: host().optional(),
  PUBLIC_URL: httpUrl().optional(),
  DOCS: choice('on', 'off')
    .default('on')
    .transform((value) => value === 'on'),
  CONSOLE: choice('on', 'off')
    .default('on')
    .transform((value) => value === 'on'),
  TRUSTED_PROXIES: networks().default([]),
  DATA_DIR: z
    .string()
    .default('./data')
    .transform((path) => resolve(path)),
  EVENTSTOREDB_CONNECTION_STRING: eventStoreDbString().optional(),
  EVENTSTOREDB_STREAM_PREFIX: z
    .string()
    .regex(/^\w{1,32}$/, '1 to 32 letters, digits and underscores')
    .optional(),
  MONGODB_URI: mongoDbUri().optional(),
  BOOTSTRAP_MANAGEMENT_KEY: managementKey().optional(),
  FOREIGN_KEYS: choice('on', 'off')
    .default('off')
    .transform((value) => value === 'on'),
  RATE_LIMIT_KEY_CREATION: rateLimit('600/60s').default({ count: 600, seconds: 60 }),
  RATE_LIMIT_WRITES: rateLimit('60000/60s').default('off'),
  RATE_LIMIT_USAGE: rateLimit('6000/60s').default({ count: 6_000, seconds: 60 }),
  RATE_LIMIT_STREAMS: streamLimit().default({ ofAccount: 4, inAll: 64 }),
  QUOTA_WORKSPACES: count(1_000_000).default(1_000),
  QUOTA_MANAGEMENT_KEYS: count(1_000_000).default(1_000),
  QUOTA_MEMBERS: count(1_000_000).default(10_000),
  QUOTA_WORKSPACE_MEMBERS: count(10_000_000).default(100_000),
  QUOTA_API_KEYS: count(999_999_999).default(1_000_000),
  MAX_CONNECTIONS: count(1_000_000).default(4_096),
  KEEP_ALIVE_TIMEOUT: duration(1_000, 3_600_000).default(75_000),
  READ_YOUR_WRITES_TIMEOUT: duration(0, 60_000).default(2_000),
  VERIFY_MAX_STALENESS: duration(1_000, 60_000).default(10_000),
  SHUTDOWN_DELAY: duration(0, 5_000).default(0),
  LOG_LEVEL: choice('trace', 'debug', 'info', 'warn', 'error', 'fatal', 'silent').default('info'),
});

export type Variable = keyof typeof SCHEMA.shape;

/** The settings of the service, by the names of their variables. Durations are in milliseconds. */
export type Settings = Readonly<z.output<typeof SCHEMA>>;

type Environment = Readonly<Record<string, string | undefined>>;

/** Whether both stores are in the data directory. Otherwise both are servers. */
export function isEmbedded({ MONGODB_URI }: Settings): boolean {
  return MONGODB_URI === undefined;
}

/** Settings are invalid. `faults` has a line for each fault, with the name of the variable. */
export class SettingsError extends Error {
  override readonly name = 'SettingsError';

  constructor(readonly faults: readonly string[]) {
    super(faults.join('\n'));
  }
}

/**
 * Reads the settings from environment variables, and secrets from files that variables name
 * (docs/settings.md). An empty variable counts as absent.
 * @throws SettingsError that lists all faults.
 */
export function readSettings(environment: Environment): Settings {
  const files = readSecretFiles(environment);
  const names = Object.keys(SCHEMA.shape);
  const given = Object.fromEntries(
    names.map((name) => [name, files.get(name)?.value ?? (environment[name] || undefined)]),
  );
  const parsed = SCHEMA.safeParse(given);
  const wrong = (parsed.error?.issues ?? []).map(({ path: [variable], message }) => {
    const name = String(variable);
    return faultOf(name, given[name], files.get(name)?.source, message);
  });
  const unreadable = [...files.values()].flatMap(({ fault }) => fault ?? []);
  const servers = SERVERS.filter((name) => given[name] !== undefined || files.has(name));
  const alone = `${SERVERS.join(' and ')}: got only ${servers.join()}; takes both or neither`;
  const faults = [
    ...wrong,
    ...unreadable,
    ...unknownVariables(environment),
    ...(servers.length === 1 ? [alone] : []),
  ];
  if (!parsed.success || faults.length > 0) throw new SettingsError(faults);
  return Object.freeze(parsed.data);
}

/** Returns what is wrong with a value of the environment or a file. Never shows a secret. */
function faultOf(
  name: string,
  value: string | undefined,
  file: string | undefined,
  takes: string,
): string {
  const isSecret = SECRETS.some((secret) => secret === name);
  const got = isSecret ? 'a value that is not shown' : JSON.stringify(value);
  const where = file === undefined ? `${name}: got` : `${file} holds`;
  return `${where} ${got}; takes ${takes}`;
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
export function readProcessSettings(
  names: readonly string[] = Object.keys(SCHEMA.shape),
): Settings {
  const read = Object.entries(process.env).filter(
    ([name]) => name.startsWith('KEYLEDGER_') || names.includes(name.replace(/_FILE$/, '')),
  );
  return readSettings(Object.fromEntries(read));
}

/** Returns a message for each `KEYLEDGER_` variable, because no setting has this prefix. */
function unknownVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => name.startsWith('KEYLEDGER_'))
    .filter((name) => !OF_A_SERVICE.test(`${name}=${environment[name] ?? ''}`))
    .map(
      (name) => `${name}: there is no such setting${suggestion(name.replace('KEYLEDGER_', ''))}`,
    );
}

/** Returns a warning for each variable that was probably meant to be a setting. */
export function misspeltVariables(environment: Environment): string[] {
  return Object.keys(environment)
    .filter((name) => !(name.replace(/_FILE$/, '') in SCHEMA.shape) && environment[name])
    .map((name) => ({ name, meant: suggestion(name) }))
    .filter(({ meant }) => meant !== '')
    .map(({ name, meant }) => `${name} is not a setting${meant}`);
}

function suggestion(variable: string): string {
  const meant = suggestedSetting(variable, Object.keys(SCHEMA.shape));
  return meant === undefined ? '' : `; did you mean ${meant}?`;
}
