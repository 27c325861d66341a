import { accessSync, constants, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { SERVICE_NAME } from '../../../src/kernel/version.js';
import { freePort } from '../../support/backends/server-process.js';
import { runningApp } from '../../support/harness/running-app.js';
import { readCompose } from './compose.js';
import { environmentOf, execForm, readStages, textsOf } from './dockerfile.js';
import { exitCode } from './exit-code.js';
import { settingNames } from './setting-names.js';

const service = runningApp();

const { services, networks, volumes } = readCompose();
const { keyledger } = services;
const proxy = readFileSync('deploy/haproxy.cfg', 'utf8');
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

/** Gives the directives of the load balancer that begin with the given words. */
function directives(words: string): string[] {
  const lines = proxy.split('\n').map((line) => line.trim());
  return lines.filter((line) => line.startsWith(words));
}

describe('docker-compose.yml', () => {
  it('publishes one port, on loopback, and that is the load balancer', () => {
    const published = Object.entries(services).flatMap(([name, { ports = [] }]) =>
      ports.map((port) => [name, port]),
    );
    expect(published).toEqual([['load-balancer', '127.0.0.1:3000:3000']]);
    expect(directives('bind')).toEqual(['bind :3000']);
  });

  it('keeps both servers, which ask nobody for a password, in a network of the replicas alone', () => {
    const there = Object.keys(services).filter((name) =>
      services[name]?.networks?.includes('servers'),
    );
    expect(there.toSorted()).toEqual(['eventstoredb', 'keyledger', 'mongodb']);
    expect(networks.servers).toEqual({ internal: true });
    for (const name of ['eventstoredb', 'mongodb'])
      expect(services[name]?.networks).toEqual(['servers']);
  });

  it('runs three replicas of this version, on both servers, with settings that exist', () => {
    expect(keyledger).toMatchObject({
      build: '.',
      pull_policy: 'build',
      image: `keyledger:${version}`,
      deploy: { replicas: 3 },
    });
    const environment = keyledger?.environment ?? {};
    expect(settingNames()).toEqual(expect.arrayContaining(Object.keys(environment)));
    expect(new URL(environment.EVENTSTOREDB_CONNECTION_STRING ?? '').hostname).toBe('eventstoredb');
    expect(new URL(environment.MONGODB_URI ?? '').hostname).toBe('mongodb');
  });

  it('trusts the network of the load balancer, in which nobody else is, as to client addresses', () => {
    const subnet = networks.service?.ipam?.config[0]?.subnet;
    expect(networks.service?.internal).toBe(true);
    expect(keyledger?.environment?.TRUSTED_PROXIES).toBe(subnet);
    const there = Object.keys(services).filter((name) =>
      services[name]?.networks?.includes('service'),
    );
    expect(there.toSorted()).toEqual(['keyledger', 'load-balancer']);
  });

  it('has no secret in it: a first management key comes from the environment or is minted', () => {
    expect(keyledger?.environment?.BOOTSTRAP_MANAGEMENT_KEY).toBe('${BOOTSTRAP_MANAGEMENT_KEY:-}');
  });

  it('starts each part when what it needs is healthy', () => {
    const healthy = { condition: 'service_healthy' };
    expect(keyledger?.depends_on).toEqual({ eventstoredb: healthy, mongodb: healthy });
    expect(services['load-balancer']?.depends_on).toEqual({ keyledger: healthy });
  });

  it('writes only to volumes, which it declares', () => {
    const mounted = Object.values(services)
      .flatMap((service) => service.volumes ?? [])
      .map((volume) => volume.split(':')[0] ?? '')
      .filter((source) => !source.startsWith('.'));
    expect(mounted.toSorted()).toEqual(Object.keys(volumes).toSorted());
    for (const name of ['keyledger', 'load-balancer']) expect(services[name]?.read_only).toBe(true);
  });

  it.each(Object.entries(services))(
    '%s is pinned, watched, unprivileged and given time to stop',
    (name, part) => {
      expect(part.image).toMatch(/:\d+\.\d+\.\d+(?:-\w+)?$/);
      expect(part.healthcheck?.test[0]).toBe('CMD');
      expect(part).toMatchObject({
        restart: 'unless-stopped',
        cap_drop: ['ALL'],
        security_opt: ['no-new-privileges:true'],
      });
      expect(Number(/^(\d+)s$/.exec(part.stop_grace_period ?? '')?.[1])).toBeGreaterThan(10);
      for (const network of part.networks ?? ['default'])
        expect({ name, known: network in networks }).toEqual({ name, known: true });
    },
  );

  it('calls a replica healthy when it is ready, and no longer when it is gone', async () => {
    const [, ...command] = keyledger?.healthcheck?.test ?? [];
    const at = (address: string) =>
      command.map((part) => part.replace('http://127.0.0.1:3001', address));
    expect(keyledger?.environment?.OPERATIONS_PORT).toBe('3001');
    expect(command.join(' ')).toContain(':3001/health/ready');
    expect(await exitCode(at(service.address))).toBe(0);
    expect(await exitCode(at(`http://127.0.0.1:${await freePort()}`))).toBe(1);
  });
});

describe('the load balancer', () => {
  it('finds every replica by name, and uses those that are ready, or else alive', () => {
    const templates = directives('server-template');
    expect(templates).toHaveLength(2);
    for (const template of templates) {
      const [, , slots, target] = template.split(' ');
      expect(Number(slots)).toBeGreaterThanOrEqual(keyledger?.deploy?.replicas ?? Infinity);
      expect(target).toBe('keyledger:3000');
    }
    expect(directives('default-server check port 3001 ')).toHaveLength(2);
    expect(directives('option httpchk')).toEqual([
      'option httpchk GET /health/ready',
      'option httpchk GET /health/live',
    ]);
    expect(services['load-balancer']?.networks).toContain('service');
    expect(keyledger?.networks).toContain('service');
  });

  it('sends to another replica what reached none, and besides that only reads', () => {
    expect(directives('http-request disable')).toEqual([
      'http-request disable-l7-retry unless METH_GET',
    ]);
    expect(directives('retry-on')).toEqual(['retry-on conn-failure empty-response']);
  });

  it('tells the replicas where a request comes from, whatever the caller says of that', () => {
    expect(directives('http-request del-header')).toEqual([
      'http-request del-header X-Forwarded-For',
    ]);
    expect(directives('option forwardfor')).toEqual(['option forwardfor']);
  });

  it('logs who asked and how it ended, without path, query string and headers but the id', () => {
    expect(directives('log stdout')).toEqual(['log stdout format raw local0 info']);
    const [format = ''] = directives('log-format');
    const logged = [...format.matchAll(/%(\[[^\]]*\]|[A-Za-z]+)/g)].map(([, what]) => what);
    expect(logged).toEqual([
      ...['ci', 'cp', 'tr', 'b', 's', 'TR', 'Tw', 'Tc', 'Tr', 'Ta'],
      ...['HM', 'ST', 'B', 'tsc', '[capture.res.hdr(0)]'],
    ]);
    expect(directives('http-response capture')).toEqual([
      'http-response capture res.hdr(X-Request-Id) id 0',
    ]);
  });

  it.each([
    [429, 'too-many-wrong-keys'],
    [502, 'replica-broke-off'],
    [503, 'no-replica-ready'],
    [504, 'replica-too-slow'],
  ])('answers its own %i in the form of the service, as %s', (status, reason) => {
    const [directive = ''] = directives(`http-error status ${status}`);
    const body: unknown = JSON.parse(/string '(.*)'/.exec(directive)?.[1] ?? '');
    expect(body).toEqual({
      error: { code: status, message: expect.stringMatching(/\S/), metadata: { reason } },
      service_metadata: null,
      user_id: null,
    });
  });
});

const PACKAGE = JSON.parse(readFileSync('package.json', 'utf8')) as {
  readonly version: string;
  readonly description: string;
  readonly license: string;
};

const stages = readStages();
const image = stages.at(-1);
const copies = stages.flatMap((stage) => textsOf(stage, 'COPY'));

describe('the image', () => {
  it('runs as a user that is named by number and is not root', () => {
    expect(textsOf(image, 'USER')).toEqual([expect.stringMatching(/^[1-9]\d*:[1-9]\d*$/)]);
  });

  it('has labels that say the same as package.json and LICENSE', () => {
    const labels = textsOf(image, 'LABEL').flatMap((text) => [
      ...text.matchAll(/org\.opencontainers\.image\.(\w+)="([^"]*)"/g),
    ]);
    expect(Object.fromEntries(labels.map(([, name, value]) => [name, value]))).toEqual({
      title: SERVICE_NAME,
      description: PACKAGE.description,
      version: PACKAGE.version,
      licenses: `LicenseRef-${PACKAGE.license}`,
    });
    expect(readFileSync('LICENSE', 'utf8')).toMatch(/no rights .* are granted/);
    expect(PACKAGE.license).toBe('UNLICENSED');
  });

  it('has the command line as a program, and places for the data and for backups', () => {
    const [made] = textsOf(image, 'RUN');
    expect(made).toBe(
      'mkdir /data /backups && chown 1000:1000 /data /backups && ln -s /app/dist/cli.js /usr/local/bin/keyledger',
    );
    expect(() => accessSync('dist/cli.js', constants.X_OK)).not.toThrow();
  });

  it('has Node as process 1, so that signals reach it', () => {
    expect(textsOf(image, 'ENTRYPOINT').map(execForm)).toEqual([['node']]);
    expect(textsOf(image, 'CMD').map(execForm)).toEqual([['dist/main.js']]);
  });

  it('sets nothing but settings, what Node is told, and where SQLite sorts', () => {
    const { NODE_ENV, SQLITE_TMPDIR, ...settings } = environmentOf(image);
    expect(NODE_ENV).toBe('production');
    expect(SQLITE_TMPDIR).toBe(settings.DATA_DIR);
    expect(settingNames()).toEqual(expect.arrayContaining(Object.keys(settings)));
  });

  it('listens where a caller outside the container reaches it, on the port that it names', () => {
    const { HOST, PORT } = environmentOf(image);
    expect(HOST).toBe('0.0.0.0');
    expect(textsOf(image, 'EXPOSE')).toEqual([PORT]);
  });

  it('has the packages that run it, and none that only build it', () => {
    const installing = stages.find((stage) =>
      textsOf(stage, 'FROM')[0]?.endsWith('AS dependencies'),
    );
    expect(textsOf(installing, 'RUN').join(' ')).toMatch(/npm ci --omit=dev --omit=optional /);
    const modules = copies.filter((text) => text.includes('node_modules'));
    expect(modules).toEqual(['--from=dependencies /app/node_modules ./node_modules']);
  });

  it('is made from bases of one exact version of Node, either of which may be replaced', () => {
    const bases = textsOf(stages[0], 'ARG').map(
      (text) => /^(\w+)=\S+\/node:(.+)$/.exec(text) ?? [],
    );
    expect(bases.map(([, name]) => name)).toEqual(['BUILD_IMAGE', 'NODE_IMAGE']);
    const versions = bases.map(([, , tag]) => tag?.replace(/-slim$/, ''));
    expect(versions[0]).toMatch(/^\d+\.\d+\.\d+-\w+$/);
    expect(versions[1]).toBe(versions[0]);
    const from = stages.flatMap((stage) => textsOf(stage, 'FROM'));
    for (const base of from) expect(base).toMatch(/^\$\{(?:BUILD|NODE)_IMAGE\}/);
  });

  it('can hold only what the build copies by name: the rest of the directory never reaches it', () => {
    const taken = copies
      .filter((text) => !text.startsWith('--from='))
      .flatMap((text) => text.split(' ').slice(0, -1));
    const rules = readFileSync('.dockerignore', 'utf8').split('\n').filter(Boolean);
    const [first, ...others] = rules.filter((rule) => !rule.startsWith('#'));
    expect(first).toBe('*');
    const letIn = others.filter((rule) => rule.startsWith('!')).map((rule) => rule.slice(1));
    expect(new Set(letIn)).toEqual(new Set(taken));
    for (const path of letIn)
      expect(path).toMatch(
        /^(?:package|package-lock|tsconfig|nest-cli)\.json$|^rspack\.config\.js$|^LICENSE$|^src$/,
      );
  });
});

describe('the health check of the image', () => {
  const text = textsOf(image, 'HEALTHCHECK')[0] ?? '';
  const command = execForm(text.slice(text.indexOf('[')));
  it('passes while the service lives, and fails once it is gone', async () => {
    expect(await exitCode(command, { PORT: new URL(service.address).port })).toBe(0);
    expect(await exitCode(command, { PORT: String(await freePort()) })).toBe(1);
  });

  it('asks the port of the operators where there is one', async () => {
    const OPERATIONS_PORT = new URL(service.address).port;
    expect(await exitCode(command, { PORT: '1', OPERATIONS_PORT })).toBe(0);
    expect(await exitCode(command, { PORT: OPERATIONS_PORT, OPERATIONS_PORT: '' })).toBe(0);
  });

  it('asks whether the process lives, as a server that is away is not mended by another start', () => {
    expect(command.join(' ')).toContain('/health/live');
    expect(command.join(' ')).not.toContain('/health/ready');
  });
});
