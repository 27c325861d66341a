import { type DynamicModule, Module } from '@nestjs/common';
import { KEY_FINDER } from '../../edge/http/callers/bearer-key.js';
import { KEYS_IN_MEMORY } from '../keys/published/key-workspaces.js';
import { Authorization } from './authorization/authorization.js';
import { IntrospectionController, ISSUER } from './introspection.controller.js';
import { type Freshness, FRESHNESS } from '../../event-sourcing/event-log/log-follower.js';
import { CallerFinder } from './known-keys/caller-finder.js';
import { KeyMemory } from './known-keys/key-memory.js';
import { KeyReader } from './known-keys/key-reader.js';
import { VerificationController } from './verification.controller.js';
import { Verifier } from './verifier.js';

/** Verifies keys, and finds the keys of callers for the guard of every route. */
@Module({})
export class VerificationModule {
  /**
   * @param accounts the module that exports `src/features/accounts/published/`.
   * @param keys the module that exports `src/features/keys/published/`.
   * @param issuer the value of the field `iss` in introspections; undefined for none.
   */
  static register(
    accounts: DynamicModule,
    keys: DynamicModule,
    freshness: Freshness,
    issuer: string | undefined,
  ): DynamicModule {
    return {
      module: VerificationModule,
      global: true,
      imports: [accounts, keys],
      controllers: [VerificationController, IntrospectionController],
      providers: [
        { provide: FRESHNESS, useValue: freshness },
        { provide: ISSUER, useValue: issuer },
        KeyReader,
        KeyMemory,
        { provide: KEY_FINDER, useClass: CallerFinder },
        { provide: KEYS_IN_MEMORY, useExisting: KeyMemory },
        Verifier,
        Authorization,
      ],
      exports: [FRESHNESS, KEY_FINDER, KEYS_IN_MEMORY, KeyMemory, Verifier, Authorization],
    };
  }
}
