import { spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/backends/server-process.js';
import { blocksOf, read, section } from '../docs/markdown.js';
import { eventually } from '../../support/harness/eventually.js';
import { installed } from '../../support/harness/installed.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';

/** The proxies that docs/operations/proxies.md has a block for. */
export type ProxyName = 'nginx' | 'haproxy';

export interface RunningProxy {
  readonly address: string;
  stop(): Promise<void>;
}

/** The directory of the proxy's files, its own port, and the address of the service. */
interface Place {
  readonly directory: string;
  readonly listening: string;
  readonly service: string;
}

/** Gives the block in docs/operations/proxies.md. */
export function documentedBlock(name: ProxyName): string {
  const blocks = blocksOf(section(read('docs/operations/proxies.md'), 'A proxy of your own'));
  const text = blocks.find(({ language }) => language === name)?.text;
  if (text === undefined) throw new Error(`docs/operations/proxies.md has no block for ${name}`);
  return text;
}

/** Runs a proxy with a block in front of a service, and waits until it forwards requests. */
export async function startProxy(
  name: ProxyName,
  block: string,
  serviceAddress: string,
): Promise<RunningProxy> {
  const directory = makeTempDirectory();
  const listening = `127.0.0.1:${await freePort()}`;
  const { host: service } = new URL(serviceAddress);
  const place = { directory: directory.path, listening, service };
  const file = join(directory.path, 'proxy.conf');
  writeFileSync(file, name === 'nginx' ? forNginx(block, place) : forHaproxy(block, place));
  const args = name === 'nginx' ? ['-p', directory.path, '-c', file] : ['-f', file];
  const child = spawn(installed(name) ?? name, args, { stdio: ['ignore', 'pipe', 'pipe'] });
  let output = '';
  for (const stream of [child.stdout, child.stderr]) {
    stream.setEncoding('utf8').on('data', (chunk: string) => (output += chunk));
  }
  const ended = once(child, 'close');
  const address = `http://${listening}`;
  const stop = async (): Promise<void> => {
    child.kill('SIGTERM');
    await ended;
    directory.remove();
  };
  try {
    await eventually(`${name} passes requests on`, () => passesOn(address));
  } catch (error) {
    await stop();
    throw new Error(output, { cause: error });
  }
  return { address, stop };
}

async function passesOn(address: string): Promise<boolean> {
  try {
    return (await fetch(`${address}/health/live`)).ok;
  } catch {
    return false;
  }
}

/** Leaves out the other replica, TLS, and the files of an installed nginx. */
function forNginx(block: string, { directory, listening, service }: Place): string {
  const here = replaced(block, [
    ['10.0.0.11:3000', service],
    ['  server 10.0.0.12:3000;\n', ''],
    ['listen 443 ssl;', `listen ${listening};`],
    ['  ssl_certificate /etc/nginx/keys.example.com.pem;\n', ''],
    ['  ssl_certificate_key /etc/nginx/keys.example.com.key;\n', ''],
    ['/var/log/nginx/', `${directory}/`],
  ]);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  for (const kind of kinds) mkdirSync(join(directory, kind));
  const own = kinds.map((kind) => `${kind}_temp_path ${directory}/${kind};`);
  return `daemon off; master_process off; pid ${directory}/pid; error_log stderr; events {}
http { ${own.join(' ')}
${here}}
`;
}

/** Adds the common part of deploy/haproxy.cfg. Leaves out the other replica and TLS. */
function forHaproxy(block: string, { listening, service }: Place): string {
  const deployed = readFileSync('deploy/haproxy.cfg', 'utf8');
  const shared = deployed.slice(0, deployed.indexOf('frontend '));
  return (
    shared +
    replaced(block, [
      ['bind :443 ssl crt /etc/haproxy/keys.example.com.pem', `bind ${listening}`],
      [' port 3001', ''],
      ['10.0.0.11:3000', service],
      ['  server two 10.0.0.12:3000\n', ''],
    ])
  );
}

/** @throws when the text lacks one of the parts, because then the file has changed. */
export function replaced(
  text: string,
  replacements: readonly (readonly [string, string])[],
): string {
  return replacements.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`there is no "${from}" in:\n${before}`);
    return before.replace(from, to);
  }, text);
}
