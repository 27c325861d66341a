import { execFileSync } from 'node:child_process';
import { createPrivateKey } from 'node:crypto';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { gzipSync } from 'node:zlib';
import { describe, expect, it } from '@jest/globals';
import { directoryOfEach } from '../../../test/support/harness/stage.js';
import { faultInEventStoreDb, faultInMongoDb } from './connection-strings.js';

const CERTIFICATE = readFileSync('test/support/tls/certificate.pem', 'utf8');
const KEY = readFileSync('test/support/tls/key.pem', 'utf8');
const ENCRYPTED = createPrivateKey(KEY).export({
  type: 'pkcs8',
  format: 'pem',
  cipher: 'aes-256-cbc',
  passphrase: 'hunter2',
});

type Make = (path: string) => void;
const holding =
  (content: string | Buffer): Make =>
  (path) =>
    writeFileSync(path, content);

const OPTIONS = [
  ['tlsCAFile', faultInEventStoreDb, 'esdb://u:hunter2@h:1'],
  ['userCertFile', faultInEventStoreDb, 'esdb://u:hunter2@h:1'],
  ['userKeyFile', faultInEventStoreDb, 'esdb://u:hunter2@h:1'],
  ['tlsCAFile', faultInMongoDb, 'mongodb://u:hunter2@h/'],
  ['tlsCRLFile', faultInMongoDb, 'mongodb://u:hunter2@h/'],
  ['tlsCertificateKeyFile', faultInMongoDb, 'mongodb://u:hunter2@h/'],
] as const;

const USELESS: readonly (readonly [what: string, make: Make, problem: string])[] = [
  ['is missing', () => undefined, 'does not exist'],
  ['is empty', holding(''), 'is empty'],
  ['is compressed', holding(gzipSync(CERTIFICATE + KEY)), 'cannot be used: '],
  ['holds something else', holding('-----BEGIN LETTER-----\n'), 'cannot be used: '],
  ['is a directory', (path) => mkdirSync(path), 'is not a regular file'],
  ['is a named pipe', (path) => execFileSync('mkfifo', [path]), 'is not a regular file'],
];

describe('a file for TLS in a connection string', () => {
  const directory = directoryOfEach();

  function fileBy(make: Make): string {
    const path = join(directory.path, 'a b+c');
    make(path);
    return path;
  }

  it.each(OPTIONS.flatMap((option) => USELESS.map((useless) => [...option, ...useless] as const)))(
    'as %s (%p, %s) that %s is a fault, which names the option and the file alone',
    (name, faultIn, server, _, make, problem) => {
      const path = fileBy(make);
      const fault = faultIn(`${server}?${name}=${encodeURIComponent(path)}`);
      expect(fault).toContain(`a PEM file as ${name}: "${path}" ${problem}`);
      expect(fault).not.toContain('hunter2');
    },
  );

  it.each([
    ['userKeyFile', faultInEventStoreDb, 'esdb://h:1'],
    ['tlsCertificateKeyFile', faultInMongoDb, 'mongodb://h/'],
  ] as const)('as %s is a fault when it is encrypted', (name, faultIn, server) => {
    const path = fileBy(holding(`${CERTIFICATE}${String(ENCRYPTED)}`));
    const fault = faultIn(`${server}?${name}=${encodeURIComponent(path)}`);
    expect(fault).toContain(`a PEM file as ${name}: "${path}" cannot be used: `);
  });

  it('is none when it is of use, encrypted with the password of the URI too', () => {
    const path = fileBy(holding(`${CERTIFICATE}${KEY}`));
    const file = encodeURIComponent(path);
    const files = `tls_ca_file=${file}&userCertFile=${file}&userKeyFile=${file}`;
    expect(faultInEventStoreDb(`esdb://h:1?${files}`)).toBeUndefined();
    expect(faultInMongoDb(`mongodb://h/?tlsCAFile=${file}`)).toBeUndefined();
    holding(`${CERTIFICATE}${String(ENCRYPTED)}`)(path);
    const withPassword = `tlsCertificateKeyFile=${file}&tlsCertificateKeyFilePassword=hunter2`;
    expect(faultInMongoDb(`mongodb://h/?${withPassword}`)).toBeUndefined();
  });
});
