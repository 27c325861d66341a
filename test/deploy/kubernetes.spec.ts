import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { runningApp } from '../harness/running-app.js';
import { settingNames } from './setting-names.js';

interface Probe {
  readonly httpGet: { readonly path: string; readonly port: string };
}

interface Container {
  readonly image: string;
  readonly ports: readonly { readonly name: string; readonly containerPort: number }[];
  readonly env: readonly { readonly name: string; readonly valueFrom: object }[];
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

function specOf(kind: string): object | undefined {
  return objects.find((object) => object.kind === kind)?.spec;
}

describe('deploy/kubernetes.yaml', () => {
  const service = runningApp();

  it('is a Deployment, its Service and its budget, and no Secret', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
      'PodDisruptionBudget',
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

  it('runs this version, with settings that exist, each out of a Secret', () => {
    expect(container.image).toBe(`keyledger:${version}`);
    expect(pod.enableServiceLinks).toBe(false);
    expect(settingNames()).toEqual(expect.arrayContaining(container.env.map(({ name }) => name)));
    for (const { valueFrom } of container.env) {
      expect(valueFrom).toMatchObject({ secretKeyRef: { name: 'keyledger' } });
    }
  });

  it.each(['startupProbe', 'livenessProbe', 'readinessProbe'] as const)(
    'has a %s that a service which is well passes, on a port that the container names',
    async (probe) => {
      const { path, port } = container[probe].httpGet;
      expect(container.ports.map(({ name }) => name)).toContain(port);
      expect(await service.client.as(undefined).get(path)).toMatchObject({ status: 200 });
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

  it('says what it needs and what it may have', () => {
    expect(container.resources).toMatchObject({
      requests: { cpu: expect.any(String), memory: expect.any(String) },
      limits: { memory: expect.any(String) },
    });
  });
});
