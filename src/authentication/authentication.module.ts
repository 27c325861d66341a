import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import {
  type AuthenticationFailureLimit,
  AuthenticationFailures,
} from '../http/authentication-failures.js';
import { Authenticator } from '../http/authenticator.js';
import { KEY_FINDER } from '../http/bearer-key.js';
import { DirectoryKeyFinder } from './find-key.js';

/** Lets every controller's guard find keys. */
@Module({})
export class AuthenticationModule {
  /** @param keys the module that exports what is published of keys. */
  static register(keys: DynamicModule, failureLimit: AuthenticationFailureLimit): DynamicModule {
    return {
      module: AuthenticationModule,
      global: true,
      imports: [AccountsModule, keys],
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
