import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { OperationsPort } from '../../../src/host/monitoring/operations-port.js';
import { readSettings } from '../../../src/host/settings/settings.js';
import { read } from '../docs/markdown.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { runningApp } from '../../support/harness/running-app.js';
import { settingNames } from './setting-names.js';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly value: string }[];
  readonly volumeMounts: readonly { readonly name: string; readonly mountPath: string }[];
  readonly startupProbe: Probe;
  readonly livenessProbe: Probe;
  readonly readinessProbe: Probe;
  readonly lifecycle: { readonly preStop: { readonly sleep: { readonly seconds: number } } };
  readonly resources: object;
  readonly securityContext: object;
}

interface Deployment {
  readonly spec: {
    readonly replicas: number;
    readonly selector: { readonly matchLabels: object };
    readonly template: {
      readonly metadata: { readonly labels: object };
      readonly spec: {
        readonly enableServiceLinks: boolean;
        readonly terminationGracePeriodSeconds: number;
        readonly securityContext: object;
        readonly containers: readonly [Container];
        readonly volumes: readonly object[];
      };
    };
  };
}

const objects = parseAllDocuments(readFileSync('deploy/kubernetes.yaml', 'utf8')).map(
  (document) => document.toJS() as { readonly kind: string; readonly spec: object },
);
const spec = specOf('Deployment') as Deployment['spec'];
const pod = spec.template.spec;
const [container] = pod.containers;
const { version } = JSON.parse(readFileSync('package.json', 'utf8')) as { version: string };

const SECRETS = ['EVENTSTOREDB_CONNECTION_STRING', 'MONGODB_URI', 'BOOTSTRAP_MANAGEMENT_KEY'];
const MOUNTED_AT = '/etc/keyledger/secrets';

function specOf(kind: string): object | undefined {
  return objects.find((object) => object.kind === kind)?.spec;
}

describe('deploy/kubernetes.yaml', () => {
  const service = runningApp();

  it('is a Deployment, its Service, its budget and who may connect, and no Secret', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
      'NetworkPolicy',
    ]);
  });

  it('selects the pods that it makes', () => {
    const { labels } = spec.template.metadata;
    expect(spec.selector.matchLabels).toEqual(labels);
    expect(specOf('Service')).toMatchObject({ selector: labels });
    expect(specOf('PodDisruptionBudget')).toMatchObject({ selector: { matchLabels: labels } });
  });

  it('keeps two of three replicas through a disruption', () => {
    expect(spec.replicas).toBe(3);
    expect(specOf('PodDisruptionBudget')).toMatchObject({ minAvailable: 2 });
  });

  it('runs this version, with settings that exist and are valid', () => {
    expect(container.image).toBe(`keyledger:${version}`);
    expect(pod.enableServiceLinks).toBe(false);
    expect(settingNames()).toEqual(expect.arrayContaining(container.env.map(({ name }) => name)));
    const plain = container.env.filter(({ name }) => !name.endsWith('_FILE'));
    const settings = readSettings(
      Object.fromEntries(plain.map(({ name, value }) => [name, value])),
    );
    expect(settings).toMatchObject({
      operations: { port: 3001 },
      writeLimit: { count: 60_000, seconds: 60 },
    });
  });

  it('mounts what is secret, as files that the process may read and that the documents name', () => {
    const files = container.env.filter(({ name }) => name.endsWith('_FILE'));
    expect(files.map(({ name }) => name)).toEqual(SECRETS.map((name) => `${name}_FILE`));
    const keys = [...read('docs/operations/deploy.md').matchAll(/--from-literal=([\w-]+)=/g)];
    const paths = keys.map(([, key]) => `${MOUNTED_AT}/${key}`);
    expect(files.map(({ value }) => value)).toEqual(paths);
    expect(container.volumeMounts).toEqual([
      { name: 'secrets', mountPath: MOUNTED_AT, readOnly: true },
    ]);
    expect(pod.volumes).toEqual([
      { name: 'secrets', secret: { secretName: 'keyledger', defaultMode: 0o440 } },
    ]);
    expect(pod.securityContext).toMatchObject({ runAsGroup: 1000, fsGroup: 1000 });
  });

  it.each(['startupProbe', 'livenessProbe', 'readinessProbe'] as const)(
    'has a %s that a service which is well passes, on a port that the container names',
    async (probe) => {
      const { path, port } = container[probe].httpGet;
      expect(container.ports).toContainEqual({ name: port, containerPort: 3001 });
      const operations = new OperationsPort(service.app, { host: '127.0.0.1', port: 0 });
      const client = new HttpClient(await operations.listen());
      expect(await client.get(path)).toMatchObject({ status: 200 });
      await operations.close();
    },
  );

  it('starts nothing anew for a server that is away, but sends no requests meanwhile', () => {
    expect(container.startupProbe.httpGet.path).toBe('/health/live');
    expect(container.livenessProbe.httpGet.path).toBe('/health/live');
    expect(container.readinessProbe.httpGet.path).toBe('/health/ready');
  });

  it('leaves a replica the time that it takes to stop, the wait before included', () => {
    const { seconds } = container.lifecycle.preStop.sleep;
    expect(pod.terminationGracePeriodSeconds).toBeGreaterThan(seconds + 10);
  });

  it('gives the process no privilege and nothing to write to', () => {
    expect(pod.securityContext).toMatchObject({ runAsNonRoot: true, runAsUser: 1000 });
    expect(container.securityContext).toEqual({
      allowPrivilegeEscalation: false,
      readOnlyRootFilesystem: true,
      capabilities: { drop: ['ALL'] },
    });
  });

  it('lets everybody reach the API, and namespaces with a label the port of the operators', () => {
    expect(specOf('NetworkPolicy')).toEqual({
      podSelector: { matchLabels: spec.template.metadata.labels },
      policyTypes: ['Ingress'],
      ingress: [
        { ports: [{ port: 'http' }] },
        {
          from: [{ namespaceSelector: { matchLabels: { 'keyledger.io/metrics': 'true' } } }],
          ports: [{ port: 'operations' }],
        },
      ],
    });
  });

  it('says what it needs and what it may have', () => {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });
});
