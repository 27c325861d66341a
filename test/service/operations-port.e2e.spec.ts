import { createServer } from 'node:http';
import { once } from 'node:events';
import type { AddressInfo } from 'node:net';
import { afterEach, beforeEach, describe, expect, it } from '@jest/globals';
import type { EventLog } from '../../src/event-sourcing/event-log/event-log.js';
import { MANAGEMENT } from '../../src/event-sourcing/ledger.js';
import { OperationsPort } from '../../src/host/monitoring/operations-port.js';
import { errorOf } from '../support/harness/error-of.js';
import { HttpClient } from '../support/harness/http-client.js';
import { type StartedApp, startApp } from '../support/harness/running-app.js';
import { runServiceToItsEnd } from '../support/harness/service-process.js';
import { stageOfEach } from '../support/harness/stage.js';
import { beginRegistration, signalStop } from '../support/harness/stopping-service.js';

const BODY = JSON.stringify({ user: 'ada' });

describe('the port of the operators', () => {
  let service: StartedApp;
  let port: OperationsPort;
  let operators: HttpClient;

  beforeEach(async () => {
    service = await startApp({ OPERATIONS_PORT: '0' });
    port = new OperationsPort(service.app, { host: '127.0.0.1', port: 0 });
    operators = new HttpClient(await port.listen());
  });

  afterEach(async () => {
    await service.stop();
    await port.close();
  });

  it('has health and metrics, and the port of the API no metrics any more', async () => {
    expect(await operators.get('/health/live')).toMatchObject({ body: { status: 'live' } });
    expect(await operators.get('/health/ready')).toMatchObject({ body: { status: 'ready' } });
    const metrics = await operators.get('/metrics');
    expect(metrics.text).toContain('keyledger_ready 1');
    expect(metrics.headers.get('content-type')).toMatch(/^text\/plain; version=0\.0\.4/);
    expect(errorOf(await service.client.get('/metrics'), 404).reason).toBe('route-unknown');
  });

  it('says why a part is missing, where the port of the API says which', async () => {
    const log = service.app.get<EventLog>(MANAGEMENT.log);
    log.ping = () => Promise.reject(new Error('/data/events.db is out of reach'));
    const part = 'event log';
    expect(errorOf(await operators.get('/health/ready'), 503).metadata).toEqual({
      missing: [{ part, problem: '/data/events.db is out of reach' }],
    });
    expect(errorOf(await service.client.get('/health/ready'), 503).metadata).toEqual({
      missing: [{ part, problem: 'unavailable' }],
    });
  });

  it('answers all else as the port of the API does, and nothing of the API itself', async () => {
    for (const [method, path, status, reason] of [
      ['GET', '/v1/keys', 404, 'route-unknown'],
      ['GET', '/docs', 404, 'route-unknown'],
      ['GET', '/%zz', 404, 'route-unknown'],
      ['POST', '/metrics', 405, 'method-not-allowed'],
    ] as const) {
      const answer = await operators.send(method, path);
      expect(errorOf(answer, status).reason).toBe(reason);
      expect(answer.headers.get('x-content-type-options')).toBe('nosniff');
      expect(answer.headers.get('cache-control')).toBe('no-store');
    }
  });
});

describe('a service with OPERATIONS_PORT', () => {
  const { backends, start } = stageOfEach();

  it('says where it listens, and answers there as long as it stops', async () => {
    const service = await start({ OPERATIONS_PORT: '0' });
    const { address, operations_address } = await service.logs(/^ready$/);
    expect(address).toBe(service.address);
    const operators = new HttpClient(String(operations_address));
    expect(await operators.get('/health/ready')).toMatchObject({ status: 200 });
    const underWay = await beginRegistration(service, BODY, 1);
    await signalStop(service, 'SIGTERM');
    // The port of the API is closed by now. The request in flight continues.
    const { metadata } = errorOf(await operators.get('/health/ready'), 503);
    expect(metadata).toEqual({ missing: [{ part: 'process', problem: 'stopping' }] });
    expect(await operators.get('/health/live')).toMatchObject({ status: 200 });
    underWay.send(BODY.slice(1));
    await underWay.closed;
    expect(underWay.received()).toMatch(/HTTP\/1\.1 201/);
    expect(await service.ended).toBe(0);
  });

  it('does not start where that port is taken, and names the setting', async () => {
    const holder = createServer().listen(0, '127.0.0.1');
    await once(holder, 'listening');
    const { port } = holder.address() as AddressInfo;
    const settings = { ...backends.settings, OPERATIONS_PORT: String(port) };
    const { code, output } = await runServiceToItsEnd(settings);
    holder.close();
    expect(code).toBe(1);
    expect(output).toMatch(/^.*OPERATIONS_PORT: .*EADDRINUSE.*$/m);
    // The start ended before a first key, which no operator would have seen.
    expect(output).not.toContain('mk-v1-');
  });
});
