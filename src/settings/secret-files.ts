import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Settings whose values are secret. Messages never show them, even wrong ones. Each may be in a file. */
export const SECRETS = [
  'BOOTSTRAP_MANAGEMENT_KEY',
  'EVENTSTOREDB_CONNECTION_STRING',
  'GATEWAY_MANAGEMENT_KEY',
  'MONGODB_URI',
] as const;

/** Every secret is shorter. A larger file is another one. */
const MAX_BYTES = 64 * 1024;
/** A secret that was given in place of the path of its file is not shown as a path. */
const PATH = /^(\/|\.\.?\/)/;

type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets that stand in files, and what is wrong with the others. */
export interface SecretFiles {
  /** By the name of the setting, as if its variable held them. */
  readonly values: ReadonlyMap<string, string>;
  /** The file of each of `values`, as a fault shows it. */
  readonly sources: ReadonlyMap<string, string>;
  /** By the name of the setting, one line each. No line holds a secret. */
  readonly faults: ReadonlyMap<string, string>;
}

/** Reads the files that variables such as `MONGODB_URI_FILE` name (docs/api.md 8.2.3). An empty variable counts as absent. */
export function readSecretFiles(environment: Environment): SecretFiles {
  const values = new Map<string, string>();
  const sources = new Map<string, string>();
  const faults = new Map<string, string>();
  for (const name of SECRETS) {
    const variable = `${name}_FILE`;
    const path = environment[variable] ?? '';
    if (path === '') continue;
    const source = `${variable}: the file ${JSON.stringify(path)}`;
    if ((environment[name] ?? '') !== '')
      faults.set(name, `${name} and ${variable}: both are set; only one of them may be`);
    else if (!PATH.test(path))
      faults.set(name, `${variable}: got a value that is not shown; takes a path from / or ./ on`);
    else {
      try {
        values.set(name, secretIn(path));
        sources.set(name, source);
      } catch (error) {
        faults.set(name, `${source} ${reasonOf(error)}`);
      }
    }
  }
  return { values, sources, faults };
}

/** A file that holds no secret, in words that follow its path. */
class NoSecret extends Error {
  override readonly name = 'NoSecret';
}

/** Gives the text of a file without one line break at its end. @throws NoSecret, or an error of the file system. */
function secretIn(path: string): string {
  // A pipe without a writer would be opened for ever.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw new NoSecret('is a directory');
    if (!stat.isFile()) throw new NoSecret('is no regular file');
    const bytes = Buffer.alloc(MAX_BYTES + 1);
    const length = readSync(file, bytes);
    if (length > MAX_BYTES) throw new NoSecret(`is larger than ${MAX_BYTES} bytes`);
    const text = decoded(bytes.subarray(0, length)).replace(/\r?\n$/, '');
    if (text === '') throw new NoSecret('is empty');
    return text;
  } finally {
    closeSync(file);
  }
}

function decoded(bytes: Uint8Array): string {
  try {
    return new TextDecoder('utf-8', { fatal: true }).decode(bytes);
  } catch {
    throw new NoSecret('is no text in UTF-8');
  }
}

/** The message of an error of the file system has the path once more. */
function reasonOf(error: unknown): string {
  if (error instanceof NoSecret) return error.message;
  const code: unknown = Reflect.get(Object(error) as object, 'code');
  return code === 'ENOENT' ? 'does not exist' : `cannot be read: ${String(code)}`;
}
