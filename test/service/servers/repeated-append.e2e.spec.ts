import { expect, it } from '@jest/globals';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { scrape } from '../../support/harness/exposed-metrics.js';
import { replicasOnServers } from '../../support/harness/replicas-on-servers.js';

describeOnMongoDb('an append whose answer a log server loses', (store) => {
  const servers = replicasOnServers(1, store);

  it('is stored once, and the metrics count it once', async () => {
    const { log, first: service } = servers;
    const before = await scrape(service.client);
    const failure = { effect: 'fail', failure: 'timeout', committed: true } as const;
    await log.inject({ on: 'append', times: 2, ...failure });
    const registered = await service.client.post('/v1/end-users', { user: 'ada' });
    expect(registered).toMatchObject({ status: 201 });
    const after = await scrape(service.client);
    const grown = (name: string, labels = {}): number =>
      (after.value(name, labels) ?? NaN) - (before.value(name, labels) ?? 0);
    expect(grown('keyledger_append_duration_seconds_count', { outcome: 'stored' })).toBe(1);
    expect(grown('keyledger_append_duration_seconds_count')).toBe(1);
  });
});
