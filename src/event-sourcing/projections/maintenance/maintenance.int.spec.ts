import { writeFolded } from '../../../../test/contracts/opened-store.js';
import { readdirSync } from 'node:fs';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { eventually } from '../../../../test/support/harness/eventually.js';
import { logWith } from '../../../../test/support/specs/log-with.js';
import {
  maintenanceHere,
  readModelsHere,
} from '../../../../test/support/specs/read-models-here.js';
import { type Replica, Replicas, TALLIES } from '../../../../test/support/specs/replicas.js';
import { tallied } from '../../../../test/support/specs/tally.js';
import { EventRegistry } from '../../event-log/event-registry.js';
import type { Change, Namespace } from '../../read-store/read-store.js';
import { Generations, namespaceOf } from '../generations.js';
import type { Maintenance } from './maintenance.js';
import type { ReadModels } from '../read-models.js';

describe('an operator', () => {
  let replicas: Replicas;
  let service: Replica;
  let running: ReadModels;
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
    running = readModelsHere(TALLIES, sources);
    maintenance = maintenanceHere(TALLIES, sources, running);
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
    const namespace: Namespace = new Generations(TALLIES, operator.store).open(1);
    const from = await namespace.checkpoint();
    await replicas.tally('c');
    await writeFolded(namespace, from, await replicas.log.head(), async (view) => {
      for (const { key } of changes) await view.get('names', key);
      return changes.map((change) => ({
        ...change,
        collection: 'names',
        isNew: false,
      }));
    });
  }

  it('sees where the read side is', async () => {
    expect(await maintenance.status()).toEqual({
      name: 'tallies',
      version: TALLIES.digest,
      generation: 1,
      position: await replicas.log.head(),
      lag: 0,
      state: 'live',
      parked: [],
    });
  });

  it('sees the event for which an account is parked', async () => {
    const id = await replicas.tally('a', 'no number');
    await service.total();
    expect(await maintenance.status()).toMatchObject({
      state: 'degraded',
      problem: 'they are stopped for 1 account, because an event cannot be read',
      parked: [{ projection: 'tallies', account_id: 'account-1', event_id: id }],
    });
  });

  it('finds every document that is not as it should be, and changes nothing', async () => {
    expect(await maintenance.verify()).toEqual({ documents: 3, differences: [] });
    await damage(
      { key: 'a', document: { sum: 7 } },
      { key: 'b', document: null },
      { key: 'x', document: { sum: 1 } },
    );
    const { differences } = await maintenance.verify();
    expect(differences).toEqual([
      { collection: 'names', key: 'a', kind: 'different' },
      { collection: 'names', key: 'b', kind: 'missing' },
      { collection: 'names', key: 'c', kind: 'missing' },
      { collection: 'names', key: 'x', kind: 'extra' },
      { collection: 'totals', key: 'all', kind: 'different' },
    ]);
    const files = readdirSync(replicas.readModels).filter((name) => name.endsWith('.db'));
    expect(files).toEqual([`${namespaceOf(TALLIES, 1)}.db`]);
  });

  it('compares nothing with what was folded from another log', async () => {
    const { store } = operator;
    const another = async () => ({ id: 'another', position: '0', stream: 'a' });
    const log = logWith(operator.log, { identity: another });
    const registry = new EventRegistry([tallied]);
    const verified = maintenanceHere(TALLIES, { log, registry, store }).verify();
    await expect(verified).rejects.toThrow('does not hold position');
  });

  it('verifies while the service goes on', async () => {
    const over = new AbortController();
    const verified = maintenance.verify().finally(() => over.abort());
    while (!over.signal.aborted) {
      await replicas.tally('a');
      await service.total();
    }
    expect((await verified).differences).toEqual([]);
  });

  it('mends by a rebuild what is wrong, and the service goes over to it', async () => {
    await damage({ key: 'a', document: { sum: 7 } });
    service = replicas.start();
    await service.models.caughtUp;
    const rebuilt = await maintenance.rebuild();
    expect(rebuilt).toEqual({ events: 5, seconds: expect.any(Number) });
    await eventually('the service reads the new generation', () =>
      service.news.some((news) => news.kind === 'switched' && news.generation === 2),
    );
    expect(await service.total()).toBe(17);
    await replicas.tally('a');
    expect(await service.total()).toBe(18);
    expect(await maintenance.verify()).toMatchObject({ differences: [] });
  });

  it('leaves nothing of a rebuild that is broken off', async () => {
    const signal = AbortSignal.abort(new Error('interrupted'));
    await expect(maintenance.rebuild({ signal })).rejects.toThrow('interrupted');
    expect(readdirSync(replicas.readModels)).not.toContain(`${namespaceOf(TALLIES, 2)}.db`);
    await replicas.tally('a', 100);
    expect(await service.total()).toBe(116);
  });

  it('is refused a rebuild over the last copy of a log that was lost', async () => {
    const { store } = operator;
    const registry = new EventRegistry([tallied]);
    const empty = logWith(operator.log, { identity: async () => null });
    const lost = maintenanceHere(TALLIES, { log: empty, registry, store });
    await expect(lost.rebuild()).rejects.toThrow(
      'the event log is empty, but the read models of tallies',
    );
    await expect(lost.refuseLostLog()).rejects.toThrow(
      'the event log is empty, but the read models of tallies',
    );
    await maintenance.refuseLostLog();
  });

  it('brings a read model up to date without a service', async () => {
    await service.stop();
    await replicas.tally('a', 100);
    await maintenance.catchUp();
    expect((await maintenance.status()).lag).toBe(0);
  });
});
