import {
  type BeforeApplicationShutdown,
  type DynamicModule,
  Inject,
  Module,
  type OnApplicationShutdown,
} from '@nestjs/common';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { Ledger, LedgerDefinition } from './ledger.js';
import { type LedgerSettings, openLedger } from './open-ledger.js';
import { READ_STORE, type ReadStore } from './read-store/read-store.js';

const OWN_LEDGER = Symbol('OwnLedger');

/** Provides a ledger and its parts. A service has several. */
@Module({})
export class LedgerModule implements BeforeApplicationShutdown, OnApplicationShutdown {
  constructor(@Inject(OWN_LEDGER) private readonly ledger: Ledger) {}

  static register(definition: LedgerDefinition, settings: LedgerSettings): DynamicModule {
    const { ledger, ...parts } = definition.tokens;
    const names = Object.keys(parts) as (keyof typeof parts)[];
    return {
      module: LedgerModule,
      global: true,
      providers: [
        {
          provide: ledger,
          inject: [READ_STORE, CLOCK],
          useFactory: (store: ReadStore, clock: Clock) =>
            openLedger(definition, settings, store, clock),
        },
        { provide: OWN_LEDGER, useExisting: ledger },
        ...names.map((name) => ({
          provide: parts[name],
          inject: [ledger],
          useFactory: (whole: Ledger) => whole[name],
        })),
      ],
      exports: [ledger, ...Object.values(parts)],
    };
  }

  beforeApplicationShutdown(): Promise<void> {
    return this.ledger.models.stop();
  }

  onApplicationShutdown(): Promise<void> {
    return this.ledger.log.close();
  }
}
