import { readNamedFile } from './named-file.js';

/** Settings with secrets, which may come from files. Messages never show them, not even invalid. */
export const SECRETS = [
  'BOOTSTRAP_MANAGEMENT_KEY',
  'EVENTSTOREDB_CONNECTION_STRING',
  'MONGODB_URI',
] as const;

/** The form of a path. Messages never show another value, because it may be a secret. */
const PATH = /^(\/|\.\.?\/)/;

/** A secret from a file, or the message that says why not. Only `value` contains the secret. */
interface SecretFile {
  /** The description of the file, for messages about an invalid value. */
  readonly source?: string;
  readonly value?: string;
  readonly fault?: string;
}

/**
 * Reads the files that variables such as `MONGODB_URI_FILE` name (docs/settings.md). An empty
 * variable counts as absent.
 * @returns each file by the name of the setting, such as `MONGODB_URI`.
 */
export function readSecretFiles(
  environment: Readonly<Record<string, string | undefined>>,
): ReadonlyMap<string, SecretFile> {
  const files = new Map<string, SecretFile>();
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const { [name]: beside = '', [variable]: path = '' } = environment;
    const both = `${name} and ${variable}: both are set; only one of them may be`;
    if (path !== '') files.set(name, beside === '' ? readSecret(path, variable) : { fault: both });
  }
  return files;
}

/** Reads a file, and drops one line break at its end. */
function readSecret(path: string, variable: string): SecretFile {
  if (!PATH.test(path)) {
    return {
      fault: `${variable}: got a value that is not shown; takes a path that begins with / or ./`,
    };
  }
  const source = `${variable}: the file ${JSON.stringify(path)}`;
  const read = readNamedFile(path);
  if ('problem' in read) return { fault: `${source} ${read.problem}` };
  const value = read.content.toString().replace(/\r?\n$/, '');
  return value === '' ? { fault: `${source} is empty` } : { source, value };
}
