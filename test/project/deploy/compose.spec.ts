import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { runningApp, startApp } from '../../support/harness/running-app.js';
import { readCompose } from './compose.js';
import { exitCode } from './exit-code.js';
import { settingNames } from './setting-names.js';

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
  const service = runningApp();

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
    const gone = await startApp();
    await gone.stop();
    expect(await exitCode(at(gone.address))).toBe(1);
  });
});

describe('the load balancer', () => {
  it('finds every replica by name, and uses those that are ready', () => {
    const [template = ''] = directives('server-template');
    const [, , slots, target] = template.split(' ');
    expect(Number(slots)).toBeGreaterThanOrEqual(keyledger?.deploy?.replicas ?? Infinity);
    expect(target).toBe('keyledger:3000');
    expect(directives('default-server check port 3001 ')).toHaveLength(1);
    expect(directives('option httpchk')).toEqual(['option httpchk GET /health/ready']);
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
