import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../harness/eventually.js';
import { type Scrape, scrape } from '../harness/exposed-metrics.js';
import { runningApp } from '../harness/running-app.js';
import { read, section, tableRows } from './markdown.js';

const OF_THE_PROCESS = 'Those of the process';

describe('docs/api.md 8.3', () => {
  const [own = '', ofTheProcess = ''] = section(
    read('docs/api.md'),
    '8.3 Health and metrics',
  ).split(OF_THE_PROCESS);
  const service = runningApp();
  let exposed: Scrape;

  beforeAll(async () => {
    exposed = await eventually('a request that was measured', async () => {
      const seen = await scrape(service.client);
      return seen.value('keyledger_http_request_duration_seconds_count') !== undefined && seen;
    });
  });

  it('lists every metric of the service with its type and labels, and no other', () => {
    const metrics = exposed.metrics.filter(({ name }) => name.startsWith('keyledger_'));
    const rows = metrics.map(({ name, type, labels }) => [name, type, labels.join(', ') || 'none']);
    const listed = tableRows(own).map((row) => row.slice(0, 3));
    expect(listed.sort()).toEqual(rows.sort());
  });

  it('lists every metric of the process with its type, and its labels where it has samples', () => {
    const metrics = exposed.metrics.filter(({ name }) => !name.startsWith('keyledger_'));
    const rows = tableRows(ofTheProcess);
    expect(rows.map(([name, type]) => [name, type]).sort()).toEqual(
      metrics.map(({ name, type }) => [name, type]).sort(),
    );
    const sampled = metrics.filter(
      ({ series: [first = ''] }) => exposed.value(first) !== undefined,
    );
    const labelsOf = new Map(rows.map(([name, , labels]) => [name, labels]));
    for (const { name, labels } of sampled) {
      expect([name, labelsOf.get(name)]).toEqual([name, labels.join(', ') || 'none']);
    }
  });
});
