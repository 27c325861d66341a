import { faultInFiles } from './tls-files.js';

const EVENTSTOREDB =
  /^esdb(\+discover)?:\/\/([^\s:@/?]+:[^\s:@/?]+@)?[\w.-]+(:\d+)?(,[\w.-]+(:\d+)?)*\/?(\?(?<options>[^\s?]+))?$/;
const MONGODB = /^mongodb(\+srv)?:\/\/[^\s/?]+\S*$/;
const HOSTS = /^[^/]+:\/\/(?:[^@/?]*@)?([^@/?:,]+(?::\d+)?(?:,[^@/?:,]+(?::\d+)?)*)(?:[/?][^@]*)?$/;
const EVENTSTOREDB_TAKES =
  'esdb://USER:PASSWORD@HOST:PORT or esdb+discover://…, with the options of docs/settings.md only';

const COUNT = /^[1-9]\d{0,8}$/;
const TEXT = /./;
/** The options that the client of EventStoreDB knows, and that the service works with. */
const OPTIONS: Readonly<Record<string, RegExp>> = {
  connectionname: TEXT,
  defaultdeadline: COUNT,
  discoveryinterval: COUNT,
  gossiptimeout: COUNT,
  keepaliveinterval: /^(-1|[1-9]\d{4,8})$/,
  keepalivetimeout: /^(-1|\d{1,9})$/,
  maxdiscoverattempts: COUNT,
  nodepreference: /^(leader|follower|read[_-]?only[_-]?replica|random)$/i,
  tls: /^(true|false)$/,
  tlscafile: TEXT,
  tlsverifycert: /^true$/,
  usercertfile: TEXT,
  userkeyfile: TEXT,
};

/**
 * Returns what the service takes instead of a connection string of EventStoreDB with a wrong form,
 * a wrong option or a useless file; undefined for a right one. For an unknown option, the client
 * would print the whole string with the password.
 */
export function faultInEventStoreDb(text: string): string | undefined {
  const match = EVENTSTOREDB.exec(text);
  if (!match || /%(?![0-9a-f]{2})/i.test(text)) return EVENTSTOREDB_TAKES;
  const options = match.groups?.options?.split('&') ?? [];
  const wrong = options.find((option) => !isKnown(option));
  if (wrong === undefined) return faultInFiles(text.replaceAll('+', '%2B'));
  // With an unescaped ? in the password, what looks like an option is a part of it.
  if (options.join().includes('@')) return EVENTSTOREDB_TAKES;
  return `${EVENTSTOREDB_TAKES}: see ${wrong.replace(/=.*/, '')}`;
}

/** Does the same for a URI of MongoDB. The driver checks the options. */
export function faultInMongoDb(uri: string): string | undefined {
  if (MONGODB.test(uri)) return faultInFiles(uri);
  return 'a URI that begins with mongodb:// or mongodb+srv:// and names a host';
}

/** Returns the hosts in a connection string, for messages. */
export function hostsIn(text: string): string {
  // Without a host, or with an unescaped / or ? in a password, the match may be a secret.
  return HOSTS.exec(text)?.[1] ?? 'an address that is not shown';
}

function isKnown(option: string): boolean {
  const [name = '', value = ''] = option.split('=');
  return OPTIONS[name.toLowerCase().replace(/[_-]/g, '')]?.test(value) ?? false;
}
