import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { freePort } from '../../support/backends/server-process.js';
import { read, section, tableRows } from '../docs/markdown.js';
import { makeTempDirectory } from '../../support/harness/temp-directory.js';
import { replaced } from './proxy.js';
import { nginxConfiguration, type RunningProgram, startProgram } from './running-program.js';

/** The gateways with a configuration in deploy/gateways/, each with its file. */
export const GATEWAY_FILES = {
  nginx: 'nginx.conf',
  caddy: 'Caddyfile',
  envoy: 'envoy.yaml',
  traefik: 'traefik.yaml',
} as const;

export type GatewayName = keyof typeof GATEWAY_FILES;

export const GATEWAYS = Object.keys(GATEWAY_FILES) as readonly GatewayName[];

/** The headers with which Keyledger informs the API through a gateway. */
const TOLD_TO_THE_API = [
  'Keyledger-Key-Hash',
  'Keyledger-Account',
  'Keyledger-Workspace',
  'Keyledger-External-User',
  'Keyledger-Limit-Remaining',
];

/** The headers that only a gateway may send, to Keyledger or to the API. */
export const OF_THE_GATEWAY = [
  ...TOLD_TO_THE_API,
  'Keyledger-Authorization',
  'Keyledger-Require-Workspace',
  'Keyledger-Limit-Status',
  'Keyledger-End-User',
  'Keyledger-Code',
];

const ANSWERS_WITHIN_MS = 3_000;

/** The surroundings of a gateway. */
export interface GatewayPlace {
  /** The address of Keyledger, such as `http://127.0.0.1:3000`. */
  readonly keyledger: string;
  /** The address of the API that the gateway protects. */
  readonly api: string;
  readonly managementKey: string;
  /** Changes to the file in addition to the addresses. */
  readonly changes?: readonly Change[];
}

export type Change = readonly [from: string, to: string];

/** The file in deploy/gateways/. */
export function gatewayFile(name: GatewayName): string {
  return read(`deploy/gateways/${GATEWAY_FILES[name]}`);
}

/** The answers to clients for each answer of Keyledger, as in deploy/gateways/README.md. */
export function rulesOf(name: GatewayName): (readonly [answer: string, client: string])[] {
  const rows = tableRows(section(read('deploy/gateways/README.md'), 'What the client gets'));
  return rows.map(([answer = '', ...clients]) => [answer, clients[GATEWAYS.indexOf(name)] ?? '']);
}

/** The change that makes a gateway require a workspace, as in the comment of its file. */
export function demandingWorkspace(name: GatewayName, workspaceId: string): Change {
  const [from, to] = DEMANDS[name];
  return [from, to.replace('ID', workspaceId)];
}

const DEMANDS: Readonly<Record<GatewayName, Change>> = {
  nginx: [
    'Keyledger-Require-Workspace "";\n    proxy_set_header Keyledger-End-User',
    'Keyledger-Require-Workspace "ID";\n    proxy_set_header Keyledger-End-User',
  ],
  caddy: ['# header_up Keyledger-Require-Workspace ID', 'header_up Keyledger-Require-Workspace ID'],
  envoy: [
    '# - { key: Keyledger-Require-Workspace, value: ID }',
    '- { key: Keyledger-Require-Workspace, value: ID }',
  ],
  traefik: ["Keyledger-Require-Workspace: ''", 'Keyledger-Require-Workspace: ID'],
};

/** The changes that make a gateway take a header of the client for what it has authenticated. */
export const NAMING_USERS: Readonly<Partial<Record<GatewayName, Change>>> = {
  nginx: ['set $end_user "";', 'set $end_user $http_x_user;'],
  caddy: ['{http.auth.user.id}', '{header.X-User}'],
};

/** Runs a gateway with its file in front of an API, and waits until it answers. */
export async function startGateway(
  name: GatewayName,
  place: GatewayPlace,
): Promise<RunningProgram> {
  const directory = makeTempDirectory();
  const port = await freePort();
  const { host: keyledger, port: keyledgerPort } = new URL(place.keyledger);
  const { host: api, port: apiPort } = new URL(place.api);
  const text = replaced(gatewayFile(name), [
    ...(place.changes ?? []),
    ...(name === 'envoy'
      ? ([
          ['address: 0.0.0.0, port_value: 8000', `address: 127.0.0.1, port_value: ${port}`],
          ['port_value: 3000', `port_value: ${keyledgerPort}`],
          ['port_value: 8080', `port_value: ${apiPort}`],
        ] as const)
      : ([
          ['127.0.0.1:3000', keyledger],
          ['127.0.0.1:8080', api],
        ] as const)),
  ]);
  const args = STARTS[name]({ directory: directory.path, text, port, ...place });
  const address = `http://127.0.0.1:${port}`;
  return startProgram(name, args, directory, {
    address,
    environment: { KEYLEDGER_MANAGEMENT_KEY: place.managementKey },
    answers: () => answers(address),
  });
}

interface Here extends GatewayPlace {
  readonly directory: string;
  readonly text: string;
  readonly port: number;
}

/** Each function writes the files of a gateway, and gives the arguments of the program. */
const STARTS: Readonly<Record<GatewayName, (here: Here) => readonly string[]>> = {
  nginx({ directory, text, port, managementKey }) {
    const key = join(directory, 'key');
    writeFileSync(key, `proxy_set_header Keyledger-Authorization "Bearer ${managementKey}";\n`);
    const here = replaced(text, [
      ['listen 8000;', `listen 127.0.0.1:${port};`],
      ['/etc/nginx/keyledger-key', key],
    ]);
    const file = join(directory, 'nginx.conf');
    writeFileSync(file, nginxConfiguration(directory, here));
    return ['-p', directory, '-c', file];
  },
  caddy({ directory, text, port }) {
    const file = join(directory, 'Caddyfile');
    const here = replaced(text, [['http://:8000 {', `http://:${port} {`]]);
    writeFileSync(file, `{\n\tadmin off\n\tdefault_bind 127.0.0.1\n}\n${here}`);
    return ['run', '--config', file, '--adapter', 'caddyfile'];
  },
  envoy({ directory, text }) {
    const file = join(directory, 'envoy.yaml');
    writeFileSync(file, text);
    return ['-c', file, '--concurrency', '1', '--disable-hot-restart', '-l', 'warn'];
  },
  traefik({ directory, text, port }) {
    const dynamic = join(directory, 'dynamic.yaml');
    writeFileSync(dynamic, text);
    const file = join(directory, 'traefik.yaml');
    writeFileSync(
      file,
      replaced(traefikStatic(), [
        ["':8000'", `127.0.0.1:${port}`],
        ['/etc/traefik/api.yaml', dynamic],
      ]),
    );
    return [`--configFile=${file}`];
  },
};

/** The static configuration in deploy/gateways/README.md. */
function traefikStatic(): string {
  const text = /^```yaml\n([^]*?)^```$/m.exec(read('deploy/gateways/README.md'))?.[1];
  if (text === undefined) throw new Error('deploy/gateways/README.md has no block for Traefik');
  return text;
}

async function answers(address: string): Promise<boolean> {
  // A gateway that has not read its routes yet answers 404.
  const signal = AbortSignal.timeout(ANSWERS_WITHIN_MS);
  return (await fetch(address, { signal })).status !== 404;
}
