import { EventStoreDBClient, jsonEvent } from '@eventstore/db-client';
import { afterEach, beforeEach, expect, it } from '@jest/globals';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { CLASSIC } from '../../support/backends/eventstoredb-simulator/real-client.js';
import { SimulatorProcess } from '../../support/backends/eventstoredb-simulator/simulator-process.js';
import { describeOnMongoDb } from '../../support/backends/on-mongodb.js';
import { createKey } from '../../support/harness/api-keys.js';
import { keyledger } from '../../support/harness/command-line.js';
import { eventually } from '../../support/harness/eventually.js';
import { reportUsage } from '../../support/harness/report-usage.js';
import { type ServiceProcess, startService } from '../../support/harness/service-process.js';

/**
 * The events of another service behind our last one. A busy neighbour writes 300,000 in a night.
 */
const TAIL = Number(process.env.FOREIGN_EVENTS ?? 16_000);
const AN_APPEND = 2_000;
/** The most messages that the server may send in addition for such a tail. */
const MORE = { start: 12_000, command: 5_000 };
const WITHIN_MS = 240_000 + TAIL;

describeOnMongoDb('behind a long tail of events of others', (store) => {
  let server: SimulatorProcess;
  let other: EventStoreDBClient;
  let settings: Record<string, string>;
  let service: ServiceProcess | undefined;

  beforeEach(async () => {
    server = await SimulatorProcess.start();
    other = EventStoreDBClient.connectionString(server.connectionString);
    settings = {
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
      EVENTSTOREDB_CONNECTION_STRING: server.connectionString,
      MONGODB_URI: store().freshUri(),
    };
  });

  afterEach(async () => {
    await service?.stop('SIGKILL');
    await other.dispose();
    await server.stop();
  });

  async function writeTail(): Promise<void> {
    for (let written = 0; written < TAIL; written += AN_APPEND) {
      const data = { text: 'x'.repeat(100) };
      const events = Array.from({ length: AN_APPEND }, () => jsonEvent({ type: 'Ordered', data }));
      await other.appendToStream('orders-1', events, CLASSIC);
    }
  }

  async function messagesOf(work: () => Promise<unknown>): Promise<number> {
    const before = await server.counts();
    await work();
    return (await server.counts()).messages - before.messages;
  }

  /**
   * Starts the service, lets it write, and stops it once that is folded. Gives what the start alone
   * cost.
   */
  async function run(write?: (running: ServiceProcess) => Promise<unknown>): Promise<number> {
    const messages = await messagesOf(async () => (service = await startService(settings)));
    if (service) await write?.(service);
    await service?.stop();
    service = undefined;
    return messages;
  }

  const list = (): Promise<number> =>
    messagesOf(async () => {
      expect(await keyledger(settings, 'accounts', 'list', '--json')).toMatchObject({ code: 0 });
    });

  async function report({ client }: ServiceProcess, hash: string): Promise<void> {
    const occurred_at = new Date().toISOString();
    await reportUsage(client, { key_hash: hash, cost: 0.5, occurred_at });
    await eventually('the report is counted', async () => {
      const answer = await client.get<{ data: { usage: number } }>(`/v1/keys/${hash}`);
      return answer.body.data.usage > 0;
    });
  }

  it(
    'of either log or of both, a start and a command read little more than without it',
    async () => {
      let hash = '';
      await run(async ({ client }) => ({ hash } = (await createKey(client)).data));
      const without = { start: await run(), command: await list() };
      const seen: Record<string, { start: number; command: number }> = {};
      await writeTail();
      const command = await list();
      seen['no report yet'] = { command, start: await run((running) => report(running, hash)) };
      seen['usage after it'] = { command: await list(), start: await run() };
      await writeTail();
      seen.both = {
        command: await list(),
        start: await run(({ client }) => createKey(client)),
      };
      seen['management after it'] = { command: await list(), start: await run() };
      process.stdout.write(`${JSON.stringify({ events: TAIL, without, ...seen })}\n`);
      for (const [tail, { start, command: listed }] of Object.entries(seen)) {
        expect([tail, start <= without.start + MORE.start]).toEqual([tail, true]);
        expect([tail, listed <= without.command + MORE.command]).toEqual([tail, true]);
      }
    },
    WITHIN_MS,
  );
});
