import { afterAll, afterEach, beforeAll, expect } from '@jest/globals';
import { mintKeyString } from '../../../src/kernel/key-string.js';
import { createKey, type CreatedKey } from '../../support/harness/api-keys.js';
import { type Backends, freshBackends } from '../../support/harness/backends.js';
import { createGatewayKey } from '../../support/harness/management-keys.js';
import type { HttpClient } from '../../support/harness/http-client.js';
import { type ServiceProcess, startService } from '../../support/harness/service-process.js';
import { type ApiBehind, startApi } from './api-behind.js';
import { type Change, type GatewayName, startGateway } from './gateway.js';
import type { RunningProgram } from './running-program.js';

const USER = 'Ürsula & Co';

/**
 * The surroundings of the gateways of a suite: Keyledger with a usable key, and an API to protect.
 */
export interface GatewayStage {
  readonly service: ServiceProcess;
  readonly api: ApiBehind;
  readonly usable: CreatedKey;
  /** The headers about a key that the API gets, without additions and without empty headers. */
  toldOf(created: CreatedKey): Record<string, string>;
  /**
   * Takes the headers that the API got in each request. Missing headers are given as empty, because
   * gateways may drop empty headers.
   */
  arrivedTold(): Record<string, string>[];
  /** @param asking the address that the gateway asks, and its key. Default: the right ones. */
  start(
    name: GatewayName,
    asking?: { readonly keyledger?: string; readonly managementKey?: string },
    ...changes: Change[]
  ): Promise<RunningProgram>;
  /** Expects that a request is refused and does not reach the API. */
  expectRefused(
    client: HttpClient,
    status: number,
    request?: { readonly path?: string; readonly headers?: Readonly<Record<string, string>> },
  ): Promise<Headers>;
}

/** Must be called in the `describe` of a suite. */
export function gatewayStage(): GatewayStage {
  let backends: Backends;
  let service: ServiceProcess;
  let api: ApiBehind;
  let usable: CreatedKey;
  let gatewayKey: string;
  let accountId: string;

  beforeAll(async () => {
    backends = await freshBackends();
    service = await startService({
      ...backends.settings,
      BOOTSTRAP_MANAGEMENT_KEY: mintKeyString('mk-v1-'),
    });
    api = await startApi();
    usable = await createKey(service.client, { limit: 3, external: { user: USER } });
    gatewayKey = await createGatewayKey(service.client);
    const { headers } = await service.client.as(usable.key).get('/v1/authorize', {
      headers: { 'Keyledger-Authorization': `Bearer ${gatewayKey}` },
    });
    accountId = headers.get('keyledger-account') ?? '';
  });

  afterAll(async () => {
    await api.stop();
    await service.stop('SIGKILL');
    await backends.dispose();
  });

  afterEach(() => {
    api.arrived();
  });

  return {
    get service() {
      return service;
    },
    get api() {
      return api;
    },
    get usable() {
      return usable;
    },
    toldOf({ data }) {
      const user = data.hash === usable.data.hash ? USER : '';
      return withoutEmpty({
        'keyledger-key-hash': data.hash,
        'keyledger-account': accountId,
        'keyledger-workspace': data.workspace_id,
        'keyledger-external-user': encodeURIComponent(user),
        'keyledger-limit-remaining': String(data.limit_remaining ?? ''),
      });
    },
    arrivedTold: () => api.arrived().map(({ told }) => withoutEmpty(told)),
    async start(name, asking = {}, ...changes) {
      const right = { keyledger: service.address, managementKey: gatewayKey };
      const around = { ...right, ...asking, api: api.address, changes };
      const gateway = await startGateway(name, around);
      api.arrived();
      return gateway;
    },
    async expectRefused(client, status, { path = '/', headers = {} } = {}) {
      const answer = await client.get(path, { headers });
      expect({ status: answer.status, arrived: api.arrived() }).toEqual({ status, arrived: [] });
      return answer.headers;
    },
  };
}

function withoutEmpty(told: Readonly<Record<string, string>>): Record<string, string> {
  return Object.fromEntries(Object.entries(told).filter(([, value]) => value !== ''));
}
