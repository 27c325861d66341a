import { randomUUID } from 'node:crypto';
import { setTimeout as delay } from 'node:timers/promises';
import { afterAll, beforeAll, describe, expect, it } from '@jest/globals';
import { startDeployedProxy } from '../../project/deploy/proxy.js';
import type { RunningProgram } from '../../project/deploy/running-program.js';
import { createKey, type OneKey } from '../../support/harness/api-keys.js';
import { eventually } from '../../support/harness/eventually.js';
import { HttpClient } from '../../support/harness/http-client.js';
import { installed } from '../../support/harness/installed.js';
import { Cluster } from './cluster.js';

/**
 * Longer than read models that stand still are waited for. `DRILL_OUTAGE_SECONDS=60` makes it as
 * long as a restart.
 */
const OUTAGE_MS = Number(process.env.DRILL_OUTAGE_SECONDS ?? 8) * 1_000;
const REPORTERS = 4;
const RECORDS = 20;
const PAUSE_MS = 100;
const ANSWERED_WITHIN_MS = 12_000;
const DISABLED_WITHIN_MS = 1_000;
const CAUGHT_UP_WITHIN_MS = 30_000;

interface Verified {
  readonly data: { readonly code: string };
}

describe('reports while the read store is away', () => {
  let cluster: Cluster;
  let proxy: RunningProgram | undefined;
  /** Asks through deploy/haproxy.cfg where HAProxy is installed, and else one of the replicas. */
  let gateway: HttpClient;
  let hash: string;
  let isOver = false;

  beforeAll(async () => {
    cluster = await Cluster.start();
    const { client } = cluster.replica(1);
    gateway = client;
    hash = (await createKey(client)).data.hash;
    // A management key has no stream: a replica finds one in the read models, and holds it in
    // memory from then on.
    for (const replica of cluster.replicas)
      expect((await replica.client.get('/v1/key')).status).toBe(200);
    if (installed('haproxy') === undefined) {
      process.stderr.write('NOT RUN through deploy/haproxy.cfg, as there is no haproxy\n');
      return;
    }
    proxy = await startDeployedProxy(cluster.replicas.map((replica) => replica.address));
    gateway = new HttpClient(proxy.address, cluster.settings.BOOTSTRAP_MANAGEMENT_KEY);
  }, 120_000);

  afterAll(async () => {
    isOver = true;
    await proxy?.stop();
    cluster.readStore.thaw();
    await cluster.stop();
  });

  /**
   * Sends reports one after the other. Gives what became of them, and the longest time until an
   * answer.
   */
  async function report(): Promise<{ outcomes: string[]; longestMs: number }> {
    const outcomes: string[] = [];
    let longestMs = 0;
    while (!isOver) {
      const records = Array.from({ length: RECORDS }, () => ({ key_hash: hash, cost: 1 }));
      const begun = performance.now();
      const path = `/v1/usage-reports/${randomUUID()}`;
      const { status, text } = await gateway.send('PUT', path, { body: { records } });
      outcomes.push(status === 201 ? 'accepted' : `${status} ${text}`);
      longestMs = Math.max(longestMs, performance.now() - begun);
      await delay(PAUSE_MS);
    }
    return { outcomes, longestMs };
  }

  it(
    'are all accepted, a key of their account can be disabled meanwhile, and all is counted soon after',
    async () => {
      const reporters = Promise.all(Array.from({ length: REPORTERS }, report));
      const leaked = (await createKey(cluster.replica(0).client)).data.hash;
      await cluster.readStore.freeze();
      const frozenAt = performance.now();
      await delay(OUTAGE_MS / 2);
      const changed = cluster.replica(0).client.patch(`/v1/keys/${leaked}`, { disabled: true });
      await eventually(
        'the key is disabled',
        async () => {
          const { body } = await gateway.post<Verified>('/v1/keys/verify', { hash: leaked });
          return body.data.code === 'DISABLED';
        },
        DISABLED_WITHIN_MS,
      );
      await delay(frozenAt + OUTAGE_MS - performance.now());
      cluster.readStore.thaw();
      const thawedAt = performance.now();
      isOver = true;
      const sent = await reporters;
      expect([200, 503]).toContain((await changed).status);
      const outcomes = sent.flatMap((one) => one.outcomes);
      expect([...new Set(outcomes)]).toEqual(['accepted']);
      const longestMs = Math.max(...sent.map((one) => one.longestMs));
      expect(longestMs).toBeLessThan(ANSWERED_WITHIN_MS);
      await eventually(
        'all is counted',
        async () => {
          const answer = await cluster.replica(0).client.get<OneKey>(`/v1/keys/${hash}`);
          return answer.status === 200 && answer.body.data.usage === outcomes.length * RECORDS;
        },
        CAUGHT_UP_WITHIN_MS,
      );
      const caughtUpMs = performance.now() - thawedAt;
      process.stdout.write(
        `${outcomes.length} reports in ${OUTAGE_MS} ms, the slowest took ${longestMs.toFixed(0)} ms; counted after ${caughtUpMs.toFixed(0)} ms\n`,
      );
    },
    OUTAGE_MS + 120_000,
  );
});
