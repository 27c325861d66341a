import 'reflect-metadata';
import { randomUUID } from 'node:crypto';
import { Writable } from 'node:stream';
import { afterAll, beforeAll, beforeEach } from '@jest/globals';
import type { NestExpressApplication } from '@nestjs/platform-express';
import { CommandBus } from '@nestjs/cqrs';
import { pino } from 'pino';
import { CreateAccount } from '../../../src/features/accounts/accounts.commands.js';
import { FirstStart } from '../../../src/features/accounts/first-start/first-start.js';
import { AppModule, type Composition } from '../../../src/host/assembly/app.module.js';
import { createApp } from '../../../src/host/assembly/application.js';
import { hashKeyString, mintKeyString } from '../../../src/kernel/key-string.js';
import type { Origin } from '../../../src/kernel/metadata.js';
import { type Ledger, OPEN_LEDGERS } from '../../../src/event-sourcing/ledger.js';
import { readSettings } from '../../../src/host/settings/settings.js';
import { type Backends, beforeServersStop, freshBackends } from './backends.js';
import { HttpClient } from './http-client.js';
import { madeBy } from './made-by.js';

/** An account for one test. */
export interface TestAccount {
  readonly accountId: string;
  readonly defaultWorkspaceId: string;
  readonly userId: string;
  readonly managementKey: string;
  readonly client: HttpClient;
}

/** The whole service in this process, with its own port and backends. */
export interface RunningApp {
  readonly app: NestExpressApplication;
  readonly backends: Backends;
  readonly address: string;
  /** A client with the first account's management key. */
  readonly client: HttpClient;
  readonly managementKey: string;
  /** The log lines so far. */
  readonly logLines: readonly string[];
  /** Opens another account with a new owner. The default kind is organization. */
  openAccount(kind?: 'organization' | 'individual', ownerUserId?: string): Promise<TestAccount>;
}

const CUT_EVERY_MS = 20;

/** A running service. The suite that starts it must stop it. */
export interface StartedApp extends RunningApp {
  stop(): Promise<void>;
}

export const OPERATOR: Origin = {
  actor: { type: 'operator', id: 'test', user_id: null },
  requestId: null,
};

/**
 * Gives the service of a `describe` or of a whole file: it starts before the first test and stops
 * after the last.
 * @param environment settings as environment variables.
 */
export function runningApp(environment: Readonly<Record<string, string>> = {}): RunningApp {
  let started: StartedApp | undefined;
  const running = madeBy(beforeAll, async () => (started = await startApp(environment)));
  const stop = async (): Promise<void> => {
    await started?.stop();
    started = undefined;
  };
  afterAll(stop);
  beforeServersStop(stop);
  return running;
}

/** Gives an account of the tests of a `describe`. It opens before the first of them. */
export function accountOf(service: RunningApp, ...wanted: WantedAccount): TestAccount {
  return madeBy(beforeAll, () => service.openAccount(...wanted));
}

/** Gives a new account to each test of a `describe`. */
export function accountOfEach(service: RunningApp, ...wanted: WantedAccount): TestAccount {
  return madeBy(beforeEach, () => service.openAccount(...wanted));
}

type WantedAccount = Parameters<RunningApp['openAccount']>;

/**
 * Starts a service in this process.
 * @param environment settings as environment variables.
 * @param over the backends. Default: new ones, which are removed when the service stops.
 */
export async function startApp(
  environment: Readonly<Record<string, string>> = {},
  over: { readonly backends?: Backends; readonly readSide?: Composition['readSide'] } = {},
): Promise<StartedApp> {
  const backends = over.backends ?? (await freshBackends());
  const { BOOTSTRAP_MANAGEMENT_KEY: managementKey = mintKeyString('mk-v1-') } = environment;
  const settings = readSettings({
    RATE_LIMIT_KEY_CREATION: 'off',
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
  const module = AppModule.register(settings, over.readSide && { readSide: over.readSide });
  const app = await createApp(settings, pino({ level: 'trace' }, logged), module);
  await app.get(FirstStart).run(settings.BOOTSTRAP_MANAGEMENT_KEY);
  const ledgers = app.get<readonly Ledger[]>(OPEN_LEDGERS);
  for (const { models } of ledgers) models.start();
  await app.listen(0, '127.0.0.1');
  await Promise.all(ledgers.map(({ models }) => models.caughtUp));
  const address = await app.getUrl();
  const client = new HttpClient(address, managementKey);
  return {
    app,
    backends,
    address,
    managementKey,
    logLines,
    client,
    openAccount: (kind = 'organization', ownerUserId) =>
      openAccount(app, client, kind, ownerUserId),
    async stop() {
      // Closing waits for open requests, such as those of an interrupted property, so their
      // connections are cut.
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
