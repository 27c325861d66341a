import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../test/support/harness/eventually.js';
import { logWith } from '../../../test/support/specs/log-with.js';
import { maintenanceHere, projectionsHere } from '../../../test/support/specs/projections-here.js';
import { type Replica, Replicas } from '../../../test/support/specs/replicas.js';
import { tallied, tallies } from '../../../test/support/specs/tally.js';
import { EventRegistry } from '../event-log/event-registry.js';
import type { Change, Namespace } from '../read-store/read-store.js';
import { Generations } from './generations.js';
import type { Maintenance } from './maintenance.js';
import type { Projections } from './projections.js';

describe('an operator', () => {
  let replicas: Replicas;
  let service: Replica;
  let running: Projections;
  let maintenance: Maintenance;
  let operator: Replica;

  beforeEach(async () => {
    replicas = new Replicas();
    service = replicas.start();
    for (const amount of [1, 2, 3]) await replicas.tally('a', amount);
    await replicas.tally('b', 10);
    await service.total();
    operator = replicas.replica();
    const { log, store } = operator;
    const registry = new EventRegistry([tallied]);
    const sources = { log, registry, store };
    running = projectionsHere([tallies], sources);
    maintenance = maintenanceHere([tallies], sources, running);
  });

  afterEach(async () => {
    await running.stop();
    await replicas.dispose();
  });

  /** Changes the generation that serves, without its leader's knowledge. */
  async function damage(
    ...changes: readonly Omit<Change, 'collection' | 'isNew'>[]
  ): Promise<void> {
    await service.stop();
    const generations = new Generations(operator.store, 'test');
    const serving = (await generations.serving(tallies)) ?? 0;
    const namespace: Namespace = generations.open(tallies, serving);
    const from = await namespace.checkpoint();
    await replicas.tally('c');
    await namespace.write(from, await replicas.log.head(), async (view) => {
      for (const { key } of changes) await view.get('names', key);
      return changes.map((change) => ({ ...change, collection: 'names', isNew: false }));
    });
  }

  it('sees where a projection is', async () => {
    expect(await maintenance.status('tallies')).toEqual({
      name: 'tallies',
      version: 1,
      generation: 1,
      position: await replicas.log.head(),
      lag: 0,
      state: 'live',
    });
  });

  it('sees the event for which an account is parked', async () => {
    const id = await replicas.tally('a', 'no number');
    await service.total();
    expect(await maintenance.status('tallies')).toMatchObject({
      state: 'degraded',
      problem: '1 account is parked at an event that cannot be read',
      parked: [{ account_id: 'account-1', event_id: id }],
    });
  });

  it('finds every document that is not as it should be, and changes nothing', async () => {
    expect(await maintenance.verify('tallies')).toEqual({ documents: 3, differences: [], lag: 0 });
    await damage(
      { key: 'a', document: { sum: 7 } },
      { key: 'b', document: null },
      { key: 'x', document: { sum: 1 } },
    );
    const { differences } = await maintenance.verify('tallies');
    expect(differences).toEqual([
      { collection: 'names', key: 'a', kind: 'different' },
      { collection: 'names', key: 'b', kind: 'missing' },
      { collection: 'names', key: 'c', kind: 'missing' },
      { collection: 'names', key: 'x', kind: 'extra' },
      { collection: 'totals', key: 'all', kind: 'different' },
    ]);
    const files = readdirSync(replicas.readModels).filter((name) => name.endsWith('.db'));
    expect(files.sort()).toEqual(['main.catalog.p0.db', 'main.tallies.v1.g1.p0.db']);
  });

  it('verifies while the service goes on', async () => {
    const over = new AbortController();
    const verified = maintenance.verify('tallies').finally(() => over.abort());
    while (!over.signal.aborted) {
      await replicas.tally('a');
      await service.total();
    }
    expect((await verified).differences).toEqual([]);
  });

  it('mends by a rebuild what is wrong, and the service goes over to it', async () => {
    await damage({ key: 'a', document: { sum: 7 } });
    service = replicas.start();
    await service.projections.caughtUp();
    const rebuilt = await maintenance.rebuild('tallies');
    expect(rebuilt).toMatchObject({ events: 5, differences: 3 });
    await eventually('the service reads the new generation', () =>
      service.news.some((news) => news.kind === 'switched' && news.generation === 2),
    );
    expect(await service.total()).toBe(17);
    await replicas.tally('a');
    expect(await service.total()).toBe(18);
    expect(await maintenance.verify('tallies')).toMatchObject({ differences: [], lag: 0 });
  });

  it('leaves nothing of a rebuild that is broken off', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(maintenance.rebuild('tallies', { signal })).rejects.toThrow('interrupted');
    expect(readdirSync(replicas.readModels)).not.toContain('main.tallies.v1.g2.p0.db');
    await replicas.tally('a', 100);
    expect(await service.total()).toBe(116);
  });

  it('is refused a rebuild over the last copy of a log that was lost', async () => {
    const { store } = operator;
    const registry = new EventRegistry([tallied]);
    const empty = logWith(operator.log, { head: async () => '' });
    const lost = maintenanceHere([tallies], { log: empty, registry, store });
    await expect(lost.rebuild('tallies')).rejects.toThrow('the event log is empty, but tallies');
    await expect(lost.refuseLostLog()).rejects.toThrow('the event log is empty, but tallies');
    await maintenance.refuseLostLog();
  });

  it('brings a read model up to date without a service', async () => {
    await service.stop();
    await replicas.tally('a', 100);
    await maintenance.catchUp('tallies');
    expect((await maintenance.status('tallies')).lag).toBe(0);
  });
});
