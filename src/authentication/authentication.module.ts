import { type DynamicModule, Module } from '@nestjs/common';
import {
  type AuthenticationFailureLimit,
  AuthenticationFailures,
} from '../http/authentication-failures.js';
import { Authenticator } from '../http/authenticator.js';
import { KEY_FINDER } from '../http/bearer-key.js';
import { DirectoryKeyFinder } from './find-key.lookup.js';

/** Lets every controller's guard find keys. */
@Module({})
export class AuthenticationModule {
  /** @param accounts @param keys the modules that export what is published of accounts and of keys. */
  static register(
    accounts: DynamicModule,
    keys: DynamicModule,
    failureLimit: AuthenticationFailureLimit,
  ): DynamicModule {
    return {
      module: AuthenticationModule,
      global: true,
      imports: [accounts, keys],
      providers: [
        { provide: KEY_FINDER, useClass: DirectoryKeyFinder },
        {
          provide: AuthenticationFailures,
          useFactory: () => new AuthenticationFailures(failureLimit),
        },
        Authenticator,
      ],
      exports: [Authenticator],
    };
  }
}
