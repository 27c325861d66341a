import { beforeAll, describe, expect, it } from '@jest/globals';
import { scrape } from '../../support/harness/exposed-metrics.js';
import { runningApp } from '../../support/harness/running-app.js';
import { readAlerts } from './alerts.js';
import { readDashboard } from './dashboard.js';
import { read, tableRows } from '../docs/markdown.js';
import { keptLabelsIn, matchersIn, selectorsIn, seriesIn } from './promql.js';

const alerts = readAlerts();
const dashboard = readDashboard();
const panels = dashboard.panels.filter(({ type }) => type !== 'row');
/** Metrics that Prometheus makes by itself. */
const OF_PROMETHEUS = 'up';
/** Rows of the default metrics of the Prometheus client that have labels, as far as they are charted. */
const OF_NODE = [['nodejs_gc_duration_seconds', 'histogram', 'kind']];
const charted = panels.flatMap(({ targets = [] }) => targets.flatMap(({ expr }) => seriesIn(expr)));
const alerted = alerts.flatMap(({ expr = '' }) => seriesIn(expr));

describe('what deploy/ watches', () => {
  const service = runningApp();
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
      const [, , labels = '', meaning = ''] =
        rows.find(([name = '']) => series.startsWith(name)) ?? [];
      return !labels.split(', ').includes(label) || !meaning.split(/[^\w-]+/).includes(value);
    });
    expect(unknown).toEqual([]);
  });

  it('speaks of labels that are there, in selectors, sums, legends and summaries', () => {
    const rows = [...tableRows(read('docs/metrics.md')), ...OF_NODE];
    const ofSeries = (series: string): string[] => {
      const [, , labels = ''] = rows.find(([name = '']) => series.startsWith(name)) ?? [];
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
