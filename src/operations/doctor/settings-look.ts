import { isIP } from 'node:net';
import { readSettings, type Settings, SettingsError } from '../../settings/settings.js';
import { type Finding, findingsOf } from './finding.js';

const { ok, warn, fail } = findingsOf('settings');

type Environment = Readonly<Record<string, string | undefined>>;

/** The findings about environment variables, and the settings that result from the correct variables. */
export interface UsableSettings {
  readonly findings: readonly Finding[];
  /** The settings, with defaults for wrong variables; undefined when even these settings cannot be read. */
  readonly settings: Settings | undefined;
  /** The variables that are wrong. */
  readonly wrong: ReadonlySet<string>;
}

/** Reads the settings as the service does. When variables are wrong, reads the settings without these variables. */
export function lookAtSettings(environment: Environment): UsableSettings {
  try {
    const settings = readSettings(environment);
    const risks = risksOf(settings, environment);
    const findings = risks.length > 0 ? risks : [ok('the service can start with them')];
    return { settings, wrong: new Set(), findings };
  } catch (error) {
    if (!(error instanceof SettingsError)) throw error;
    const wrong = new Set(error.faults.flatMap(variablesIn));
    const findings = error.faults.map((fault) =>
      fail(fault, 'correct the variable: the service does not start (docs/api.md 8.2)'),
    );
    return { findings, settings: withoutThose(wrong, environment), wrong };
  }
}

/** Returns the variables that a fault names before its colon, and for each `NAME_FILE` the variable `NAME` too. */
function variablesIn(fault: string): string[] {
  const named = fault.split(':')[0]?.match(/\b[A-Z][A-Z0-9_]+\b/g) ?? [];
  return named.flatMap((name) => [name, name.replace(/_FILE$/, '')]);
}

function withoutThose(wrong: ReadonlySet<string>, environment: Environment): Settings | undefined {
  const rest = Object.entries(environment).filter(([name]) => !wrong.has(name));
  try {
    return readSettings(Object.fromEntries(rest));
  } catch {
    // A variable that is left needs a variable that was wrong.
    return undefined;
  }
}

/** Returns findings about settings that are allowed but seldom meant. */
function risksOf(settings: Settings, environment: Environment): Finding[] {
  const { host, port, operations, trustedProxies } = settings;
  const ports = [port, operations?.port].filter((one) => one !== undefined);
  const taken = ports.filter((one, index) => one !== 0 && ports.indexOf(one) !== index);
  return [
    ...taken.map((one) => fail(`port ${one} is used twice`, 'give each port a number of its own')),
    ...when(
      !isLoopback(host) && operations === undefined,
      'metrics and the faults of /health/ready are on the port of the API, for everybody who reaches it',
      'set OPERATIONS_PORT, and publish PORT alone',
    ),
    ...when(
      trustedProxies.some((network) => network.endsWith('/0')),
      'TRUSTED_PROXIES names everybody, so that a caller chooses its own address',
      'name the addresses of your proxies alone',
    ),
    ...when(
      !isLoopback(host) && settings.writeLimit === 'off',
      'RATE_LIMIT_WRITES is off: one account can fill the disk of the log',
      'set RATE_LIMIT_WRITES, such as 60000/60s (docs/operations.md)',
    ),
    ...when(
      environment.LOG_LEVEL === 'silent' || environment.LOG_LEVEL === 'fatal',
      `LOG_LEVEL is ${settings.logLevel}: faults are not logged`,
      'set LOG_LEVEL to error at least',
    ),
    ...when(
      settings.bootstrapManagementKey !== undefined,
      'BOOTSTRAP_MANAGEMENT_KEY is set, which only a first start needs',
      'after the first start remove it: it is a secret that nothing reads any more',
    ),
    ...when(
      isOpenOnTheWay(settings.eventStoreDbConnectionString, /[?&]tls=false/i),
      'EVENTSTOREDB_CONNECTION_STRING has tls=false: events cross the network in the clear, and no password is sent',
      'use TLS, except in a network of their own',
    ),
    ...when(
      isOpenOnTheWay(settings.mongodbUri, /^mongodb:(?!.*[?&](tls|ssl)=true)/i),
      'MONGODB_URI has no tls=true: read models cross the network in the clear',
      'use TLS, except in a network of their own',
    ),
  ];
}

function when(isSo: boolean, found: string, todo: string): Finding[] {
  return isSo ? [warn(found, todo)] : [];
}

/** Whether an address leads to another machine and its connection is not encrypted. */
function isOpenOnTheWay(address: string | undefined, open: RegExp): boolean {
  if (address === undefined || !open.test(address)) return false;
  const hosts = /^[^:]+:\/\/(?:[^@/]*@)?([^/?]+)/.exec(address)?.[1]?.split(',') ?? [];
  return !hosts.every((host) => isLoopback(host.replace(/:\d+$/, '').replace(/^\[|\]$/g, '')));
}

function isLoopback(host: string): boolean {
  return host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'));
}
