import { readFileSync, statSync } from 'node:fs';

/** The content of a file, or the problem with it as a message says it. */
type NamedFile = { readonly content: Buffer } | { readonly problem: string };

export function readNamedFile(path: string): NamedFile {
  try {
    // Reading a named pipe could take for ever.
    if (!statSync(path).isFile()) return { problem: 'is not a regular file' };
    const content = readFileSync(path);
    return content.length === 0 ? { problem: 'is empty' } : { content };
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException;
    return { problem: code === 'ENOENT' ? 'does not exist' : `cannot be read: ${String(code)}` };
  }
}
