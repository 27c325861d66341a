import { beforeAll, describe, expect, it } from '@jest/globals';
import { eventually } from '../../support/harness/eventually.js';
import { type Scrape, scrape } from '../../support/harness/exposed-metrics.js';
import { runningApp } from '../../support/harness/running-app.js';
import { read, tableRows } from './markdown.js';

describe('docs/metrics.md', () => {
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
    const listed = tableRows(read('docs/metrics.md')).map((row) => row.slice(0, 3));
    expect(listed.sort()).toEqual(rows.sort());
  });
});
