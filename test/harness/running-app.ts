import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, expect } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { CreateAccount } from '../../src/accounts/create-account/create-account.command.js';
import { FirstStart } from '../../src/accounts/first-start/first-start.js';
import { AppModule, type Composition } from '../../src/app.module.js';
import { createApp } from '../../src/bootstrap.js';
import { hashKeyString, mintKeyString } from '../../src/key-strings/key-string.js';
import type { Origin } from '../../src/kernel/metadata.js';
import { Projections } from '../../src/projections/projections.js';
import { readSettings } from '../../src/settings/settings.js';
import { type Backends, freshBackends } from './backends.js';
import type { ApiDescription } from './api-description.js';
import { HttpClient } from './http-client.js';
import { ToldErrors } from './told-errors.js';

/** An account that a test may use as its own. */
export interface TestAccount {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
  readonly userId: string;
  readonly managementKey: string;
  readonly client: HttpClient;
}

/** The whole service in this process, on a port and backends of its own. */
export interface RunningApp {
  readonly app: NestExpressApplication;
  readonly backends: Backends;
  readonly address: string;
  /** A client with the first account's management key. */
  readonly client: HttpClient;
  readonly managementKey: string;
  /** Everything that was logged, a line each. */
  readonly logLines: readonly string[];
  /** Opens another account, an organization unless told otherwise, of a new owner. */
  openAccount(kind?: 'organization' | 'individual', ownerUserId?: string): Promise<TestAccount>;
}

const CUT_EVERY_MS = 20;

/** With TEST_PROJECTOR=thread embedded read models have their thread, as they have in the service, as it was built last. */
const PROJECTOR =
  process.env.TEST_PROJECTOR === 'thread'
    ? new URL('../../dist/projector-thread.js', import.meta.url)
    : undefined;

/** One that whoever started it stops. */
export interface StartedApp extends RunningApp {
  /** The errors that its clients were answered. */
  readonly errors: ToldErrors;
  stop(): Promise<void>;
}

export const OPERATOR: Origin = {
  actor: { type: 'operator', id: 'test', user_id: null },
  requestId: null,
};

/**
 * The service of a whole suite, called in its `describe`: started before its first test, stopped after its last. Outside
 * it would outlive the servers, which are stopped first.
 * @param environment settings as environment variables.
 */
export function runningApp(environment: Readonly<Record<string, string>> = {}): RunningApp {
  let started: StartedApp | undefined;
  const running = (): RunningApp => {
    if (!started) throw new Error('the service of a suite runs only while its tests do');
    return started;
  };
  beforeAll(async () => {
    started = await startApp(environment);
  });
  afterAll(async () => {
    if (!started) return;
    try {
      const { body } = await started.client.get<ApiDescription>('/openapi.json');
      // Whoever can be told of an error finds it in the document.
      expect(started.errors.undescribedIn(body)).toEqual([]);
    } finally {
      await started.stop();
    }
  });
  return {
    get app() {
      return running().app;
    },
    get backends() {
      return running().backends;
    },
    get address() {
      return running().address;
    },
    get client() {
      return running().client;
    },
    get managementKey() {
      return running().managementKey;
    },
    get logLines() {
      return running().logLines;
    },
    openAccount: (...account) => running().openAccount(...account),
  };
}

/**
 * @param environment settings as environment variables.
 * @param over what others may have left; without, it is fresh and goes when the service stops.
 */
export async function startApp(
  environment: Readonly<Record<string, string>> = {},
  over: { readonly backends?: Backends; readonly projections?: Composition['projections'] } = {},
): Promise<StartedApp> {
  const backends = over.backends ?? (await freshBackends());
  const managementKey = mintKeyString('mk-v1-');
  const settings = readSettings({
    RATE_LIMIT_KEY_CREATION: 'off',
    AUTH_FAILURE_LIMIT: 'off',
    ...backends.settings,
    ...environment,
    BOOTSTRAP_MANAGEMENT_KEY: managementKey,
  });
  const logLines: string[] = [];
  const logged = new Writable({
    write(line: Buffer, _encoding, done) {
      logLines.push(line.toString());
      done();
    },
  });
  const module = over.projections
    ? AppModule.register(settings, { projections: over.projections })
    : AppModule.register(settings, { projector: PROJECTOR });
  const app = await createApp(settings, pino({ level: 'trace' }, logged), module);
  await app.get(FirstStart).run(settings.bootstrapManagementKey);
  app.get(Projections).start();
  await app.listen(0, '127.0.0.1');
  await app.get(Projections).caughtUp();
  const address = await app.getUrl();
  const errors = new ToldErrors();
  const client = new HttpClient(address, managementKey, errors.hear);
  return {
    app,
    backends,
    address,
    managementKey,
    logLines,
    errors,
    client,
    openAccount: (kind = 'organization', ownerUserId) =>
      openAccount(app, client, kind, ownerUserId),
    async stop() {
      // Until it has closed, as it waits for whoever still asks, such as a property that was interrupted.
      const cutting = setInterval(() => app.getHttpServer().closeAllConnections(), CUT_EVERY_MS);
      app.getHttpServer().closeAllConnections();
      await app.close().finally(() => clearInterval(cutting));
      if (!over.backends) await backends.dispose();
    },
  };
}

async function openAccount(
  app: NestExpressApplication,
  client: HttpClient,
  kind: 'organization' | 'individual',
  userId = `user-${randomUUID()}`,
): Promise<TestAccount> {
  const managementKey = mintKeyString('mk-v1-');
  const management_key_hash = hashKeyString(managementKey);
  const wanted = { kind, name: 'Test', owner_user_id: userId, management_key_hash };
  const created = await app.get(CommandBus).execute(new CreateAccount(wanted, OPERATOR));
  return { ...created, userId, managementKey, client: client.as(managementKey) };
}
