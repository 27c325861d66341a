import { closeSync, constants, fstatSync, openSync, readSync } from 'node:fs';

/** Settings with secret values. Messages never show them, not even invalid ones. Each value may come from a file. */
export const SECRETS = [
  'BOOTSTRAP_MANAGEMENT_KEY',
  'EVENTSTOREDB_CONNECTION_STRING',
  'MONGODB_URI',
] as const;

/** The maximum size of a file with a secret. Every secret is shorter, so a larger file is the wrong file. */
const MAX_BYTES = 64 * 1024;
/** The form of a path. Messages never show a value of another form, because that value may be a secret. */
const PATH = /^(\/|\.\.?\/)/;

type Environment = Readonly<Record<string, string | undefined>>;

/** The secrets that were read from files, and the faults of files that could not be used. */
export interface SecretFiles {
  /** The secrets by the name of the setting, such as `MONGODB_URI`. */
  readonly values: ReadonlyMap<string, string>;
  /** The description of each secret's file, for messages about faults, by the name of the setting. */
  readonly sources: ReadonlyMap<string, string>;
  /** The faults by the name of the setting, one line each. No line contains a secret. */
  readonly faults: ReadonlyMap<string, string>;
}

/** Reads the files that variables such as `MONGODB_URI_FILE` name (docs/settings.md). An empty variable counts as absent. */
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

/** The error when a file does not hold a secret. The message continues a line that begins with the path. */
class NoSecret extends Error {
  override readonly name = 'NoSecret';
}

/** Returns the text of a file. Drops one line break at the end. @throws NoSecret, or an error of the file system. */
function secretIn(path: string): string {
  // Without O_NONBLOCK, opening a pipe that has no writer would block for ever.
  const file = openSync(path, constants.O_RDONLY | constants.O_NONBLOCK);
  try {
    const stat = fstatSync(file);
    if (stat.isDirectory()) throw new NoSecret('is a directory');
    if (!stat.isFile()) throw new NoSecret('is not a regular file');
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
    throw new NoSecret('is not UTF-8 text');
  }
}

/** Returns why a secret cannot be read. Leaves out the message of a file system error, which repeats the path. */
function reasonOf(error: unknown): string {
  if (error instanceof NoSecret) return error.message;
  const code: unknown = Reflect.get(Object(error) as object, 'code');
  return code === 'ENOENT' ? 'does not exist' : `cannot be read: ${String(code)}`;
}
