import { readFileSync } from 'node:fs';
import { beforeAll, describe, expect, it } from '@jest/globals';
import { parseAllDocuments } from 'yaml';
import { OperationsPort } from '../../../src/host/monitoring/operations-port.js';
import { readSettings } from '../../../src/host/settings/settings.js';
import { scrape } from '../../support/harness/exposed-metrics.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { runningApp } from '../../support/harness/running-app.js';
import { read, tableRows } from '../docs/markdown.js';
import { readAlerts } from './alerts.js';
import { readDashboard } from './dashboard.js';
import { keptLabelsIn, matchersIn, selectorsIn, seriesIn } from './promql.js';
import { settingNames } from './setting-names.js';

const service = runningApp();

const alerts = readAlerts();
const dashboard = readDashboard();
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
/** Metrics that Prometheus makes by itself. */
const OF_PROMETHEUS = 'up';
/**
 * Rows of the default metrics of the Prometheus client that have labels, as far as they are
 * charted.
 */
const OF_NODE = [['nodejs_gc_duration_seconds', 'histogram', 'kind']];
const charted = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => seriesIn(expr)));
const alerted = alerts.flatMap(({ expr = '' }) => seriesIn(expr));

/** The row of the metric that a series is of. A histogram has several series. */
function rowOf(series: string, rows: readonly string[][]): readonly string[] {
  const metric = series.replace(/_(?:bucket|count|sum)$/, '');
  return rows.find(([name]) => name === series || name === metric) ?? [];
}

describe('what deploy/ watches', () => {
  let own: { name: string; series: readonly string[] }[];
  let exposed: Set<string>;

  beforeAll(async () => {
    const { metrics } = await scrape(service.client);
    own = metrics.filter(({ name }) => name.startsWith('keyledger_'));
    exposed = new Set([OF_PROMETHEUS, ...metrics.flatMap(({ series }) => series)]);
  });

  it.each([
    ['dashboard', charted],
    ['alerts', alerted],
  ])('is exposed by the service, as far as the %s go', (_, series) => {
    expect(series.length).toBeGreaterThan(0);
    expect(series.filter((name) => !exposed.has(name))).toEqual([]);
  });

  it('has the labels and values that are asked for, as docs/metrics.md lists them', () => {
    const rows = tableRows(read('docs/metrics.md'));
    const expressions = [
      ...alerts.map(({ expr = '' }) => expr),
      ...panels.flatMap(({ targets = [] }) => targets.map(({ expr }) => expr)),
    ];
    const asked = expressions.flatMap(matchersIn);
    expect(asked.length).toBeGreaterThan(0);
    const unknown = asked.filter(({ series, label, value }) => {
      const [, , labels = '', meaning = ''] = rowOf(series, rows);
      return !labels.split(', ').includes(label) || !meaning.split(/[^\w-]+/).includes(value);
    });
    expect(unknown).toEqual([]);
  });

  it('speaks of labels that are there, in selectors, sums, legends and summaries', () => {
    const rows = [...tableRows(read('docs/metrics.md')), ...OF_NODE];
    const ofSeries = (series: string): string[] => {
      const [, , labels = ''] = rowOf(series, rows);
      // Labels that Prometheus adds, and the label of a bucket.
      return [...labels.split(', '), 'instance', 'job', 'le'];
    };
    const spoken = [
      ...alerts.map(({ alert, expr = '', annotations = {} }) => ({
        of: String(alert),
        expr,
        named: Object.values(annotations).flatMap((text) => [...text.matchAll(/\$labels\.(\w+)/g)]),
      })),
      ...panels.flatMap(({ title, targets = [] }) =>
        targets.map(({ expr, legendFormat = '' }) => ({
          of: title,
          expr,
          named: [...legendFormat.matchAll(/\{\{(\w+)\}\}/g)],
        })),
      ),
    ];
    const unheardOf = spoken.flatMap(({ of, expr, named }) => {
      const all = seriesIn(expr).flatMap(ofSeries);
      const kept = keptLabelsIn(expr);
      const told = named.map(([, label = '']) => label);
      return [
        ...selectorsIn(expr).filter(({ series, label }) => !ofSeries(series).includes(label)),
        ...kept.filter((label) => !all.includes(label)),
        ...told.filter((label) => !(kept.length > 0 ? kept : all).includes(label)),
      ].map((wrong) => ({ of, wrong }));
    });
    expect(spoken.flatMap(({ named }) => named).length).toBeGreaterThan(20);
    expect(unheardOf).toEqual([]);
  });

  it('is every metric of the service, on the dashboard', () => {
    expect(own.length).toBeGreaterThan(0);
    const unseen = own.filter(({ series }) => !series.some((name) => charted.includes(name)));
    expect(unseen).toEqual([]);
  });
});

describe('the dashboard', () => {
  it('is one that Grafana takes, with the data source left to choose', () => {
    expect(dashboard).toMatchObject({ uid: 'keyledger', title: 'Keyledger', schemaVersion: 39 });
    expect(dashboard.templating.list).toContainEqual(
      expect.objectContaining({ name: 'datasource', type: 'datasource', query: 'prometheus' }),
    );
    const ids = dashboard.panels.map(({ id }) => id);
    expect(new Set(ids).size).toBe(ids.length);
  });

  it.each(panels.map((panel) => [panel.title, panel] as const))(
    'says on the panel %s what it shows, in which unit and from where',
    (_, { title, description, datasource, fieldConfig, targets = [] }) => {
      expect(title).not.toBe('');
      expect(description).toMatch(/\.$/);
      expect(datasource).toEqual({ type: 'prometheus', uid: '${datasource}' });
      expect(fieldConfig?.defaults.unit).toMatch(/^\w+$/);
      expect(targets.flatMap(({ expr }) => seriesIn(expr))).not.toEqual([]);
      const refs = targets.map(({ refId }) => refId);
      expect(new Set(refs).size).toBe(refs.length);
    },
  );

  it('says of how late the read models are what docs/metrics.md says', () => {
    const rows = tableRows(read('docs/metrics.md'));
    const late = panels.flatMap(({ title, description = '', targets = [] }) =>
      [...new Set(targets.flatMap(({ expr }) => seriesIn(expr)))]
        .filter((series) => series.startsWith('keyledger_read_models_lag'))
        .map((series) => ({ title, description, meaning: rowOf(series, rows)[3]?.split(';')[0] })),
    );
    expect(late).toHaveLength(4);
    for (const { title, description, meaning = '' } of late)
      expect({ title, said: description.toLowerCase() }).toEqual({
        title,
        said: expect.stringContaining(meaning.toLowerCase()),
      });
  });

  it('lays no panel over another, nor beyond the edge', () => {
    const taken = new Set<string>();
    for (const { title, gridPos } of dashboard.panels) {
      const { x, y, w, h } = gridPos;
      expect(x + w).toBeLessThanOrEqual(24);
      for (let column = x; column < x + w; column++) {
        for (let line = y; line < y + h; line++) {
          const cell = `${column}/${line}`;
          expect({ title, cell, taken: taken.has(cell) }).toMatchObject({ taken: false });
          taken.add(cell);
        }
      }
    }
  });

  it('counts what only grows by its rate, and histograms by their quantiles', () => {
    for (const { expr } of panels.flatMap(({ targets = [] }) => targets)) {
      for (const name of seriesIn(expr)) {
        if (/_(?:total|count|sum|bucket)$/.test(name)) expect(expr).toMatch(`rate(${name}`);
        if (name.endsWith('_bucket')) expect(expr).toContain('histogram_quantile(');
      }
    }
  });
});

describe('the alerting rules', () => {
  it('have names of their own', () => {
    const names = alerts.map(({ alert }) => alert);
    expect(new Set(names).size).toBe(names.length);
  });

  it.each(alerts.map((rule) => [String(rule.alert), rule] as const))(
    '%s says when, how bad, what is the matter and what to do',
    (name, { expr, for: lasting, labels, annotations }) => {
      expect(name).toMatch(/^Keyledger[A-Z]\w+$/);
      expect(seriesIn(expr ?? '')).not.toEqual([]);
      expect(lasting).toMatch(/^[1-9]\d*[smh]$/);
      expect(labels?.severity).toMatch(/^(?:critical|warning)$/);
      expect(annotations?.summary).toMatch(/\S/);
      for (const line of ['description', 'action']) expect(annotations?.[line]).toMatch(/^\S.*\.$/);
    },
  );
});

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
  it('is a Deployment, its Services, its budget and who may connect, and no Secret', () => {
    expect(objects.map(({ kind }) => kind)).toEqual([
      'Deployment',
      'Service',
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

  it('has a Service that names the pods which are not ready, for what the log alone decides', () => {
    const [ready, live] = objects.filter(({ kind }) => kind === 'Service');
    expect(ready?.spec).not.toHaveProperty('publishNotReadyAddresses');
    expect(live?.spec).toEqual({ ...ready?.spec, publishNotReadyAddresses: true });
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
      OPERATIONS_PORT: 3001,
      RATE_LIMIT_WRITES: { count: 60_000, seconds: 60 },
    });
  });

  it('mounts what is secret, as files that the process may read and that the documents name', () => {
    const files = container.env.filter(({ name }) => name.endsWith('_FILE'));
    expect(files.map(({ name }) => name)).toEqual(SECRETS.map((name) => `${name}_FILE`));
    const keys = [...read('docs/operations/deploy.md').matchAll(/--from-literal=([\w-]+)=/g)];
    const paths = new Set(keys.map(([, key]) => `${MOUNTED_AT}/${key}`));
    expect(files.map(({ value }) => value)).toEqual([...paths]);
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
