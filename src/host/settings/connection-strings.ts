const EVENTSTOREDB =
  /^esdb(\+discover)?:\/\/([^\s:@/?]+:[^\s:@/?]+@)?[\w.,:-]+\/?(\?(?<options>[^\s?]+))?$/;
const MONGODB = /^mongodb(\+srv)?:\/\/[^\s/?]+\S*$/;

/** The options that the client of EventStoreDB knows, and that the service works with. */
const KNOWN_OPTIONS = new Set([
  'connectionname',
  'defaultdeadline',
  'discoveryinterval',
  'gossiptimeout',
  'keepaliveinterval',
  'keepalivetimeout',
  'maxdiscoverattempts',
  'nodepreference',
  'tls',
  'tlscafile',
  'usercertfile',
  'userkeyfile',
]);

/**
 * Whether a connection string has the form of EventStoreDB, and known options only. For an unknown option, the client
 * would print the whole string with the password. The client checks the values.
 */
export function isOfEventStoreDb(text: string): boolean {
  const match = EVENTSTOREDB.exec(text);
  if (!match || /%(?![0-9a-f]{2})/i.test(text)) return false;
  const options = match.groups?.options?.split('&') ?? [];
  return options.every((option) => {
    const [name = '', value] = option.split('=');
    const flat = name.toLowerCase().replace(/[_-]/g, '');
    return KNOWN_OPTIONS.has(flat)
      ? value !== undefined
      : flat === 'tlsverifycert' && value === 'true';
  });
}

export function isOfMongoDb(uri: string): boolean {
  return MONGODB.test(uri);
}
