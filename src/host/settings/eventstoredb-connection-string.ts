import { unusableOption } from './connection-options.js';

/** Matches 0 to 65535. */
const PORT = '(?:\\d{1,4}|[1-5]\\d{4}|6(?:[0-4]\\d{3}|5(?:[0-4]\\d{2}|5(?:[0-2]\\d|3[0-5]))))';
const HOST = `[A-Za-z0-9._-]+(?::${PORT})?`;
const FORM = new RegExp(
  `^esdb(?:\\+discover)?://(?<user>[^\\s:@/?]+:[^\\s:@/?]+@)?${HOST}(?:,${HOST})*/?(?:\\?(?<options>[^\\s?]+))?$`,
);

/** The form of the value of each option that the client knows. Names are in lower case, without `_` and `-`. */
const OPTIONS = new Map([
  ['tls', /^(true|false)$/],
  ['tlsverifycert', /^true$/],
  ['tlscafile', /^.+$/],
  ['usercertfile', /^.+$/],
  ['userkeyfile', /^.+$/],
  ['connectionname', /^.+$/],
  ['nodepreference', /^(leader|follower|random|read_?only_?replica)$/i],
  ['maxdiscoverattempts', /^[1-9]\d*$/],
  ['discoveryinterval', /^[1-9]\d*$/],
  ['gossiptimeout', /^[1-9]\d*$/],
  ['defaultdeadline', /^[1-9]\d*$/],
  ['keepaliveinterval', /^(-1|[1-9]\d{4,})$/],
  ['keepalivetimeout', /^(-1|[1-9]\d*)$/],
]);

const KURRENTDB = /^kurrent(?:db)?(?:\+discover)?:/i;

/** Describes a valid connection string. For a text with a KurrentDB scheme, names the scheme to write instead. */
export function formOfConnectionString(text: string): string {
  if (KURRENTDB.test(text))
    return 'esdb:// in place of kurrentdb://, and esdb+discover:// in place of kurrentdb+discover://, for KurrentDB too';
  const form =
    'esdb://USER:PASSWORD@HOST:PORT or esdb+discover://…, with known options only; without a user only with tls=false';
  return (isOfForm(text) ? unusableOption(text) : undefined) ?? form;
}

/**
 * Validates a whole connection string. Without this check, the client of the log server would print the password if an
 * option is unknown, and would report some faults only after start-up.
 * @returns the connection string; undefined when it is invalid.
 */
export function parseEventStoreDbConnectionString(text: string): string | undefined {
  return isOfForm(text) && unusableOption(text) === undefined ? text : undefined;
}

function isOfForm(text: string): boolean {
  const { user, options = '' } = FORM.exec(text)?.groups ?? {};
  if (!FORM.test(text) || !isDecodable(text)) return false;
  const given = options === '' ? [] : options.split('&').map((option) => option.split('='));
  const known = given.every(([name = '', value = '', ...rest]) => {
    const takes = OPTIONS.get(flat(name));
    return takes?.test(value) === true && rest.length === 0;
  });
  const isPlain = given.some(([name = '', value]) => flat(name) === 'tls' && value === 'false');
  // A server with TLS requires a user.
  return known && (isPlain || user !== undefined);
}

function flat(name: string): string {
  return name.toLowerCase().replace(/[_-]/g, '');
}

function isDecodable(text: string): boolean {
  try {
    decodeURIComponent(text);
    return true;
  } catch {
    return false;
  }
}
