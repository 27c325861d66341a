import './host/process/heap.js';
import 'reflect-metadata';
import { statSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import type { INestApplication, INestApplicationContext } from '@nestjs/common';
import type { Logger } from 'pino';
import {
  firstKeyText,
  firstRequestText,
} from './features/accounts/first-start/first-start-texts.js';
import { FirstStart } from './features/accounts/first-start/first-start.js';
import { WaitingReaders } from './features/audit-trail/waiting-readers.js';
import { AppModule, type Composition } from './host/assembly/app.module.js';
import { createApp } from './host/assembly/application.js';
import { isConsole } from './host/assembly/serve-console.js';
import { OperationsPort } from './host/monitoring/operations-port.js';
import { Readiness } from './host/monitoring/readiness.js';
import { KEY_FINDER, type KeyFinder } from './edge/http/callers/bearer-key.js';
import { errorInWords } from './edge/command-line/error-in-words.js';
import { messageOf } from './kernel/errors.js';
import { formOf, hashKeyString } from './kernel/key-string.js';
import { lockDataDirectory } from './host/process/data-directory-lock.js';
import { openLogger } from './host/process/logger.js';
import { Output } from './host/process/output.js';
import { checkOpenToOthers } from './host/process/open-to-others.js';
import { stopOnSignal } from './host/process/stop-on-signal.js';
import { whenAvailable } from './host/process/when-available.js';
import type { EventLog } from './event-sourcing/event-log/event-log.js';
import { type Ledger, MANAGEMENT, OPEN_LEDGERS } from './event-sourcing/ledger.js';
import { READ_STORE } from './event-sourcing/read-store/read-store.js';
import { hostsIn } from './host/settings/connection-strings.js';
import {
  isEmbedded,
  misspeltVariables,
  type Settings,
  readProcessSettings,
} from './host/settings/settings.js';
import { requireSqlite } from './event-sourcing/sqlite/open-database.js';
import { COMMIT, VERSION } from './kernel/version.js';

// Files hold personal data and hashes of keys, so only their owner may read them.
process.umask(0o077);

/** The program of the folding thread, in a file beside this one, compiled or bundled. */
const PROJECTOR = new URL('projector-thread.js', import.meta.url);
const builtAt = (): number | undefined => statSync(PROJECTOR, { throwIfNoEntry: false })?.mtimeMs;
const BUILT_AT = builtAt();
const CONSOLE = fileURLToPath(new URL('console/', import.meta.url));
/** The exit code of a service that ends because its disk failed (docs/operations/process.md). */
const DISK_FAILED = 74;
const DISK_FAULT =
  'the service ends: the disk failed during a write, whose outcome is unknown. Check the disk of DATA_DIR, then start the service again';
const NO_KEY_SHOWN =
  'no management key is shown: the first start on this event log showed one on its standard output, only once. To create another one: keyledger management-keys create';

/** Repeats an attempt while a part that it needs is unavailable. */
type Available = <Result>(attempt: () => Promise<Result>) => Promise<Result>;

async function start(settings: Settings): Promise<void> {
  const { logger, output } = openLogger(settings.LOG_LEVEL);
  const stopping = stopOnSignal(logger, settings.SHUTDOWN_DELAY);
  const stores = storesOf(settings);
  const build = { version: VERSION, commit: COMMIT, node: process.version };
  logger.info({ msg: 'starting', ...build, ...stores });
  for (const msg of misspeltVariables(process.env)) logger.warn({ msg });
  const unlock = isEmbedded(settings) ? lockDirectory(settings.DATA_DIR, logger) : undefined;
  const module = AppModule.register(settings, compositionOf(logger));
  const consoleFolder = settings.CONSOLE && isConsole(CONSOLE) ? CONSOLE : undefined;
  const app = await createApp(settings, logger, module, consoleFolder);
  const { OPERATIONS_PORT: port, OPERATIONS_HOST: host = settings.HOST } = settings;
  const operations = port === undefined ? undefined : new OperationsPort(app, { host, port });
  stopping.begin(
    app,
    () => {
      app.get(Readiness).withdraw();
      app.get(WaitingReaders).dismiss();
    },
    async () => {
      // The port closes last, so that probes are answered until the end.
      await operations?.close();
      unlock?.();
    },
  );
  // The service listens first: with a taken port, a first key would be made and lost.
  const address = await listen(app, settings);
  const operationsAddress = await operations?.listen();
  const available: Available = (attempt) =>
    whenAvailable(attempt, logger, (part) =>
      part.endsWith('log') ? stores.event_log : stores.read_models,
    );
  await openStores(app, settings, available);
  const given = settings.BOOTSTRAP_MANAGEMENT_KEY;
  const firstKey = await available(() => app.get(FirstStart).run(given));
  // A new key is shown at once, because a start that is killed later must not lose it.
  if (firstKey !== null) output.write(firstKeyText(firstKey));
  else if (given === undefined) logger.info({ msg: NO_KEY_SHOWN });
  await startReadModels(app, available);
  if (given !== undefined) await warnOfUselessKey(given, app, logger);
  const ready = {
    msg: 'ready',
    address,
    operations_address: operationsAddress,
    console: consoleFolder && `${settings.PUBLIC_URL ?? address}/console/`,
  };
  // With PORT=0 this line is the only way to learn the port, so it appears at every log level.
  if (logger.isLevelEnabled('info')) logger.info(ready);
  else output.write(`${JSON.stringify(ready)}\n`);
  if (firstKey !== null) output.write(firstRequestText(address));
}

/** Returns what this process gives to the parts of the service. Both functions may end it. */
function compositionOf(logger: Logger): Composition {
  return {
    projector: () => {
      if (builtAt() === BUILT_AT) return PROJECTOR;
      logger.fatal({
        msg: 'the service ends: another build has replaced its files. Start it again',
      });
      process.exit(1);
    },
    onUnsettled: (err) => {
      logger.fatal({ msg: DISK_FAULT, err });
      process.exit(DISK_FAILED);
    },
  };
}

/** Listens. @returns the address on this machine. @throws Error that names the settings. */
async function listen(app: INestApplication, { HOST, PORT }: Settings): Promise<string> {
  try {
    await app.listen(PORT, HOST);
  } catch (cause) {
    throw new Error(`HOST and PORT: the service cannot listen there: ${messageOf(cause)}`, {
      cause,
    });
  }
  return app.getUrl();
}

/** Waits for both stores. @throws Error when a log has lost events that its read models have. */
async function openStores(
  app: INestApplicationContext,
  settings: Settings,
  available: Available,
): Promise<void> {
  // An embedded log that cannot be written is no reason not to fold it.
  const first = isEmbedded(settings) ? [READ_STORE] : [READ_STORE, MANAGEMENT.log];
  await Promise.all(
    first.map((part) => available(() => app.get<Pick<EventLog, 'ping'>>(part).ping())),
  );
  for (const { maintenance } of ledgersOf(app)) {
    await available(() => maintenance.refuseLostLog());
  }
}

/** Starts to fold the logs, and waits until the read models have caught up and the logs answer. */
async function startReadModels(app: INestApplicationContext, available: Available): Promise<void> {
  const ledgers = ledgersOf(app);
  for (const { models } of ledgers) models.start();
  await Promise.all(ledgers.map(({ models }) => models.caughtUp));
  for (const { log } of ledgers) await available(() => log.ping());
}

function ledgersOf(app: INestApplicationContext): readonly Ledger[] {
  return app.get(OPEN_LEDGERS);
}

/** Returns the places of both stores for a log line, without the secrets in connection strings. */
function storesOf({ DATA_DIR, EVENTSTOREDB_CONNECTION_STRING: log, MONGODB_URI: store }: Settings) {
  return {
    event_log: log === undefined ? DATA_DIR : `EventStoreDB at ${hostsIn(log)}`,
    read_models: store === undefined ? DATA_DIR : `MongoDB at ${hostsIn(store)}`,
  };
}

function lockDirectory(dataDir: string, logger: Logger): () => void {
  requireSqlite();
  const warning = checkOpenToOthers(dataDir);
  if (warning !== undefined) logger.warn({ msg: warning });
  return lockDataDirectory(dataDir);
}

async function warnOfUselessKey(
  given: string,
  app: INestApplicationContext,
  logger: Logger,
): Promise<void> {
  const form = formOf(given);
  const keys = app.get<KeyFinder>(KEY_FINDER);
  const found = form === 'broken' ? null : await keys.find(hashKeyString(given), { form });
  if (found !== 'revoked' && found?.caller.keyKind === 'management') return;
  logger.warn({
    msg: 'BOOTSTRAP_MANAGEMENT_KEY has no effect: the event log was not empty, and the key is not a valid management key there',
  });
}

try {
  await start(readProcessSettings());
} catch (error) {
  new Output(2).write(`keyledger cannot start:\n${errorInWords(error)}\n`);
  process.exit(1);
}
