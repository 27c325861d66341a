import { accessSync, constants } from 'node:fs';

const EVENTSTOREDB =
  /^esdb(\+discover)?:\/\/(?<user>[^\s:@/?]+:[^\s:@/?]+@)?(?<hosts>[\w.-]+(:\d+)?(,[\w.-]+(:\d+)?)*)\/?(\?(?<options>[^\s?]+))?$/;
const MONGODB = /^mongodb(\+srv)?:\/\/[^\s/?]+\S*$/;
const KURRENTDB = /^kurrent(db)?(\+discover)?:/i;

/** Matches each option that the client of EventStoreDB knows. The client would print the whole string for another one. */
const KNOWN_OPTION = new RegExp(
  `^(${[
    'tls=(true|false)',
    'tlsverifycert=true',
    '(tlscafile|usercertfile|userkeyfile|connectionname)=[^=]+',
    'nodepreference=(leader|follower|random|read_?only_?replica)',
    '(maxdiscoverattempts|discoveryinterval|gossiptimeout|defaultdeadline)=[1-9]\\d*',
    'keepaliveinterval=(-1|[1-9]\\d{4,})',
    'keepalivetimeout=(-1|[1-9]\\d*)',
  ].join('|')})$`,
  'i',
);

/** The options of either connection string that name files. */
const FILES = /^(tlscafile|tlscrlfile|tlscertificatekeyfile|usercertfile|userkeyfile)$/;

/** Returns what the setting takes if a connection string is invalid, without text of the string; undefined if it is valid. */
export function faultOfEventStoreDb(text: string): string | undefined {
  if (KURRENTDB.test(text))
    return 'esdb:// in place of kurrentdb://, and esdb+discover:// in place of kurrentdb+discover://, for KurrentDB too';
  if (isOfEventStoreDb(text)) return faultOfOptions(text);
  return 'esdb://USER:PASSWORD@HOST:PORT or esdb+discover://…, with known options only; without a user only with tls=false';
}

/** Returns what the setting takes if a URI is invalid, without text of the URI; undefined if it is valid. */
export function faultOfMongoDb(uri: string): string | undefined {
  if (MONGODB.test(uri)) return faultOfOptions(uri);
  return 'a URI that begins with mongodb:// or mongodb+srv:// and names a host';
}

function isOfEventStoreDb(text: string): boolean {
  const { user, hosts, options } = EVENTSTOREDB.exec(text)?.groups ?? {};
  if (hosts === undefined || /%(?![0-9a-f]{2})/i.test(text)) return false;
  const given = (options?.split('&') ?? []).map((option) => {
    const [name = '', ...value] = option.split('=');
    return [flat(name), ...value].join('=');
  });
  const isPlain = given.includes('tls=false');
  return (
    // A server with TLS requires a user.
    (isPlain || user !== undefined) &&
    hosts.split(',').every((host) => URL.canParse(`http://${host}`)) &&
    given.every((option) => KNOWN_OPTION.test(option))
  );
}

/** Finds an option that can never work. The client would notice only when it connects, and no waiting would help. */
function faultOfOptions(text: string): string | undefined {
  for (const [name, value] of new URLSearchParams(text.split('?')[1])) {
    if (FILES.test(flat(name)) && !isReadable(value))
      return `in ${name} the path of a file that can be read`;
    // The driver needs modules for the others, which are not installed.
    if (name === 'compressors' && !/^(none|zlib|,)*$/.test(value))
      return 'in compressors zlib or none';
  }
  return undefined;
}

/** Writes the name of an option as the clients compare it. */
function flat(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function isReadable(file: string): boolean {
  try {
    accessSync(file, constants.R_OK);
    return true;
  } catch {
    return false;
  }
}
