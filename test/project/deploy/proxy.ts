import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/backends/server-process.js';
import { blocksOf, read, section } from '../docs/markdown.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { nginxConfiguration, type RunningProgram, startProgram } from './running-program.js';

/** The proxies that docs/operations/proxies.md has a block for. */
export type ProxyName = 'nginx' | 'haproxy';

/** The directory of the proxy's files, its own port, and the address of the service. */
interface Place {
  readonly directory: string;
  readonly listening: string;
  readonly service: string;
}

/** A part of a text, and what takes its place. */
type Replacement = readonly [string, string];

/** Gives the block in docs/operations/proxies.md. */
export function documentedBlock(name: ProxyName, title = 'A proxy of your own'): string {
  const blocks = blocksOf(section(read('docs/operations/proxies.md'), title));
  const text = blocks.find(({ language }) => language === name)?.text;
  if (text === undefined) throw new Error(`docs/operations/proxies.md has no block for ${name}`);
  return text;
}

/**
 * Gives the block of another section of docs/operations/proxies.md, with what it shares with the
 * first one.
 */
export function documentedVariant(name: ProxyName, title: string): string {
  const first = documentedBlock(name);
  const variant = documentedBlock(name, title);
  if (name === 'haproxy') return first.replace(/^ *bind .*\n/m, (bind) => bind + variant);
  const [, before, ofServer, ofLocation] =
    /^([^]*)server \{\n([^]*) *location \/ \{[^]*proxy_pass [^\n]*\n([^]*?) *\}/m.exec(first) ?? [];
  if (!before || !ofServer || !ofLocation)
    throw new Error(`not the shape that is known:\n${first}`);
  return (
    before +
    variant
      .replace(/^ *# The lines above .*\n/m, () => ofServer)
      .replace(/^ *# The lines below .*\n/m, () => ofLocation)
  );
}

/**
 * Runs a proxy with a block in front of a service, and waits until it forwards requests.
 * @param prefix where the service is behind the proxy, such as `/a/b`; part of the address.
 */
export async function startProxy(
  name: ProxyName,
  block: string,
  serviceAddress: string,
  prefix = '',
): Promise<RunningProgram> {
  const directory = makeTempDirectory();
  const listening = `127.0.0.1:${await freePort()}`;
  const { host: service } = new URL(serviceAddress);
  const place = { directory: directory.path, listening, service };
  const file = join(directory.path, 'proxy.conf');
  writeFileSync(file, name === 'nginx' ? forNginx(block, place) : forHaproxy(block, place));
  const args = name === 'nginx' ? ['-p', directory.path, '-c', file] : ['-f', file];
  const address = `http://${listening}${prefix}`;
  return startProgram(name, args, directory, {
    address,
    // A proxy that guards the service refuses this request, once it is there.
    answers: async () => (await fetch(`${address}/health/live`)).status < 500,
  });
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
  return nginxConfiguration(directory, here);
}

/** Puts the lines of a block into deploy/haproxy.cfg. Leaves out the other replica and TLS. */
function forHaproxy(block: string, { listening, service }: Place): string {
  const [, frontend, backend] =
    /^ *# In place of.*\n([^]*)^ *# In both.*\n([^]*)$/m.exec(block) ?? [];
  if (!frontend || !backend) throw new Error(`not the shape that is known:\n${block}`);
  const deployed = readFileSync('deploy/haproxy.cfg', 'utf8')
    .replace(/^ *bind .*\n/m, () => frontend)
    .replaceAll(/^ *default-server [^]*?^ *server-template .*\n/gm, () => backend);
  return replaced(deployed, [
    ['bind :443 ssl crt /etc/haproxy/keys.example.com.pem', `bind ${listening}`],
    ...twice([
      [' port 3001', ''],
      ['10.0.0.11:3000', service],
      ['  server two 10.0.0.12:3000\n', ''],
    ]),
  ]);
}

/** Replacements for the backends of what is ready and of what is live. */
function twice(replacements: readonly Replacement[]): readonly Replacement[] {
  return [...replacements, ...replacements];
}

/**
 * Runs HAProxy with deploy/haproxy.cfg in front of replicas that have no port for operators, and
 * waits until it sends requests to one that is ready.
 */
export async function startDeployedProxy(addresses: readonly string[]): Promise<RunningProgram> {
  const directory = makeTempDirectory();
  const listening = `127.0.0.1:${await freePort()}`;
  const servers = addresses.map((address, index) => `server ${index} ${new URL(address).host}`);
  const configuration = replaced(readFileSync('deploy/haproxy.cfg', 'utf8'), [
    ['bind :3000', `bind ${listening}`],
    ...twice([
      [' port 3001', ''],
      [' resolvers containers resolve-prefer ipv4 init-addr none', ''],
      ['server-template replica- 10 keyledger:3000', servers.join('\n  ')],
    ]),
  ]);
  const file = join(directory.path, 'proxy.conf');
  writeFileSync(file, configuration);
  const address = `http://${listening}`;
  return startProgram('haproxy', ['-f', file], directory, {
    address,
    answers: async () => (await fetch(`${address}/health/live`)).ok,
  });
}

/** @throws when the text lacks one of the parts, because then the file has changed. */
export function replaced(text: string, replacements: readonly Replacement[]): string {
  return replacements.reduce((before, [from, to]) => {
    if (!before.includes(from)) throw new Error(`there is no "${from}" in:\n${before}`);
    return before.replace(from, to);
  }, text);
}
