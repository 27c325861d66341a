import { X509Certificate } from 'node:crypto';
import { resolve } from 'node:path';
import { createSecureContext } from 'node:tls';
import { messageOf } from '../../kernel/errors.js';
import { readNamedFile } from './named-file.js';

/** The uses that TLS has for a file, by the option of a connection string that names the file. */
const USES: Readonly<Record<string, readonly string[]>> = {
  tlscafile: ['ca'],
  tlscrlfile: ['crl'],
  tlscertificatekeyfile: ['cert', 'key'],
  usercertfile: ['cert'],
  userkeyfile: ['key'],
};

/**
 * Returns what a connection string takes instead of a file that is of no use; undefined if there is
 * no such file. With such a file the clients wait for a server for ever.
 */
export function faultInFiles(connectionString: string): string | undefined {
  const options = [...new URLSearchParams(connectionString.split('?')[1])];
  const [, passphrase] =
    options.find(([name]) => /^tlsCertificateKeyFilePassword$/i.test(name)) ?? [];
  for (const [name, value] of options) {
    const path = resolve(value);
    const uses = USES[name.toLowerCase().replace(/[_-]/g, '')] ?? [];
    const problem = uses.length === 0 ? undefined : problemOf(path, uses, passphrase);
    if (problem !== undefined) return `a PEM file as ${name}: ${JSON.stringify(path)} ${problem}`;
  }
  return undefined;
}

function problemOf(path: string, uses: readonly string[], passphrase = ''): string | undefined {
  const read = readNamedFile(path);
  if ('problem' in read) return read.problem;
  const { content } = read;
  try {
    // Node takes authorities without a certificate, and then trusts none.
    if (uses.includes('ca')) new X509Certificate(content);
    createSecureContext({ ...Object.fromEntries(uses.map((use) => [use, content])), passphrase });
    return undefined;
  } catch (error) {
    return `cannot be used: ${messageOf(error)}`;
  }
}
