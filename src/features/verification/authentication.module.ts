import { type DynamicModule, Module } from '@nestjs/common';
import { Authenticator } from '../../edge/http/callers/authenticator.js';
import { KEY_FINDER } from '../../edge/http/callers/bearer-key.js';
import { KeyReader } from './key-reader.js';
import { type Freshness, FRESHNESS, KeyLookUp } from './find-key.lookup.js';

/** Provides the Authenticator to the guards of every controller. */
@Module({})
export class AuthenticationModule {
  /**
   * @param accounts the module that exports `src/features/accounts/published/`.
   * @param keys the module that exports `src/features/keys/published/`.
   */
  static register(
    accounts: DynamicModule,
    keys: DynamicModule,
    freshness: Freshness,
  ): DynamicModule {
    return {
      module: AuthenticationModule,
      global: true,
      imports: [accounts, keys],
      providers: [
        { provide: FRESHNESS, useValue: freshness },
        KeyReader,
        KeyLookUp,
        { provide: KEY_FINDER, useExisting: KeyLookUp },
        Authenticator,
      ],
      exports: [Authenticator, KEY_FINDER, KeyLookUp],
    };
  }
}
