import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import { mintKeyString } from '../../src/kernel/key-string.js';
import { MongoDbSimulator } from '../support/backends/mongodb-simulator/mongodb-simulator.js';
import { SimulatorProcess } from '../support/backends/eventstoredb-simulator/simulator-process.js';
import { freePort } from '../support/backends/server-process.js';
import { eventually } from '../support/harness/eventually.js';
import { HttpClient } from '../support/harness/http-client.js';
import { launchService, type LaunchedService } from '../support/harness/service-process.js';

const PASSWORD = 'not-for-the-log';
/** No server listens on this address, and the driver takes seconds to report that. */
const NOWHERE = '127.0.0.1:1';
const TOLD_WITHIN_MS = 20_000;

describe('the log of a service whose MongoDB cannot be reached', () => {
  const managementKey = mintKeyString('mk-v1-');
  let log: SimulatorProcess;
  let service: LaunchedService;
  let port: number;

  beforeEach(async () => {
    port = await freePort();
    log = await SimulatorProcess.start();
    service = launchService({
      PORT: String(port),
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: `mongodb://root:${PASSWORD}@${NOWHERE}`,
      BOOTSTRAP_MANAGEMENT_KEY: managementKey,
      LOG_LEVEL: 'trace',
    });
  });

  afterEach(async () => {
    await service.stop('SIGKILL');
    await log.stop();
  });

  function line(wanted: RegExp): Promise<Record<string, unknown>> {
    return eventually(
      `a log line like ${String(wanted)}`,
      () => service.logged().find(({ msg }) => wanted.test(String(msg))),
      TOLD_WITHIN_MS,
    );
  }

  it('says where read models are and why none is had, and not the password', async () => {
    expect(await line(/^starting$/)).toMatchObject({ read_models: 'MongoDB' });
    // A first start checks the read models for an earlier log.
    const waiting = await line(/^waiting$/);
    expect(JSON.stringify(waiting.err)).toContain('ECONNREFUSED');
    // Servers that start together with the service are no cause for alarm.
    expect(waiting).toMatchObject({ level: 30 });
    const asked = new HttpClient(`http://127.0.0.1:${port}`, managementKey);
    const ready = await asked.get('/health/ready');
    expect(ready).toMatchObject({ status: 503 });
    const probe = await eventually('the line of the probe', () =>
      service.logged().find(({ route }) => route === '/health/ready'),
    );
    expect(probe).toMatchObject({ level: 30, status: 503 });
    const listed = await asked.get('/v1/end-users');
    expect(listed).toMatchObject({ status: 503 });
    await line(/unavailable$/);
    for (const text of [service.output(), ready.text, listed.text]) {
      expect(text).not.toContain(PASSWORD);
    }
  });
});

describe('a start on a MongoDB that is not fit', () => {
  let log: SimulatorProcess;
  let mongoDb: MongoDbSimulator;

  beforeEach(async () => {
    log = await SimulatorProcess.start();
    mongoDb = await MongoDbSimulator.open();
  });

  afterEach(async () => {
    mongoDb.close();
    await log.stop();
  });

  it.each([
    [
      'is no replica set',
      { setName: undefined, hosts: undefined },
      'MongoDB must be a replica set. One member is enough: mongod --replSet rs0, then rs.initiate() in mongosh',
    ],
    ['is too old', { maxWireVersion: 9 }, 'MongoDB must be of version 5.0 or later'],
  ])('ends with the cure when it %s', async (_, describedAs, cure) => {
    mongoDb.describedAs = describedAs;
    const service = launchService({
      EVENTSTOREDB_CONNECTION_STRING: log.connectionString,
      MONGODB_URI: mongoDb.uri('keyledger'),
    });
    expect(await service.ended).toBe(1);
    expect(service.output()).toContain(cure);
  });
});
