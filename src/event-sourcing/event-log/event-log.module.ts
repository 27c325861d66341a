import {
  type DynamicModule,
  Inject,
  Logger,
  Module,
  type OnApplicationBootstrap,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CLOCK, type Clock } from '../../kernel/clock.js';
import type { EventDefinition } from '../../kernel/event.js';
import { DecisionRunner } from '../decisions/decision-runner.js';
import { type EmbeddedLogObserver, embeddedWriteAhead } from './embedded-event-log.js';
import { EVENT_LOG, type EventLog } from './event-log.js';
import { EventRegistry } from './event-registry.js';
import { type EventLogPlace, openEventLog } from './open-event-log.js';
import type { CheckpointedWal, WalCheckpointThread } from './sqlite/checkpointed-wal.js';
import { WRITE_AHEAD } from './write-ahead-log.js';

export interface EventLogSettings extends EventLogPlace {
  /** Starts the thread that checkpoints the embedded log. Without this function, commits checkpoint the log. */
  readonly beginWalCheckpoints?: (() => WalCheckpointThread) | undefined;
  readonly embeddedLogObserver?: EmbeddedLogObserver | undefined;
}

/** Provides the event log, the event registry and the decision runner. */
@Module({})
export class EventLogModule implements OnApplicationBootstrap, OnApplicationShutdown {
  constructor(
    @Inject(EVENT_LOG) private readonly log: EventLog,
    @Inject(WRITE_AHEAD) private readonly writeAhead: CheckpointedWal | null,
  ) {}

  /** @param events every event that the features can store. */
  static register(settings: EventLogSettings, events: readonly EventDefinition[]): DynamicModule {
    return {
      module: EventLogModule,
      global: true,
      providers: [
        { provide: EVENT_LOG, useFactory: () => openLog(settings) },
        {
          provide: WRITE_AHEAD,
          // The log is opened first, because opening creates its file.
          inject: [EVENT_LOG],
          useFactory: () => writeAheadOf(settings),
        },
        {
          provide: EventRegistry,
          useFactory: () => new EventRegistry(events),
        },
        { provide: CLOCK, useValue: { now: () => new Date() } satisfies Clock },
        {
          provide: DecisionRunner,
          inject: [EVENT_LOG, EventRegistry, CLOCK],
          useFactory: (log: EventLog, registry: EventRegistry, clock: Clock) =>
            new DecisionRunner(log, registry, clock),
        },
      ],
      exports: [EVENT_LOG, WRITE_AHEAD, EventRegistry, CLOCK, DecisionRunner],
    };
  }

  onApplicationBootstrap(): void {
    this.writeAhead?.start();
  }

  async onApplicationShutdown(): Promise<void> {
    await this.writeAhead?.stop();
    await this.log.close();
  }
}

function openLog(settings: EventLogSettings): Promise<EventLog> {
  const checkpoints = settings.beginWalCheckpoints ? 'by-thread' : 'by-commits';
  return openEventLog(settings, { ...settings, checkpoints });
}

function writeAheadOf(settings: EventLogSettings): CheckpointedWal | null {
  const { eventStoreDbConnectionString, dataDir, beginWalCheckpoints } = settings;
  if (eventStoreDbConnectionString !== undefined) return null;
  const logger = new Logger('event-log');
  return embeddedWriteAhead(dataDir, beginWalCheckpoints, {
    held: (bytes) =>
      logger.warn({
        msg: 'a reader, such as a backup or an open shell, keeps events.db-wal from being emptied',
        bytes,
      }),
    lost: (error) =>
      logger.error({
        msg: 'the thread that empties events.db-wal ended, and starts again',
        err: error,
      }),
  });
}
