import { type DynamicModule, Module } from '@nestjs/common';
import { WORKSPACE_KEYS } from '../accounts/published/workspace-keys.js';
import type { RequestRate } from '../../edge/rate-limits/request-limit.js';
import { CreateKeyController } from './create-key/create-key.controller.js';
import { CreateKeyHandler } from './create-key/create-key.command.js';
import {
  KEY_CREATION_LIMIT,
  KeyCreationLimitInterceptor,
} from './create-key/key-creation-limit.interceptor.js';
import { KEY_QUOTA, KeyQuota } from './create-key/key-quota.js';
import { DeleteKeyController } from './delete-key/delete-key.controller.js';
import { DeleteKeyHandler } from './delete-key/delete-key.command.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { IntrospectKeyController, ISSUER } from './introspect-key/introspect-key.controller.js';
import { ListKeysController } from './list-keys/list-keys.controller.js';
import { ListKeysHandler } from './list-keys/list-keys.query.js';
import { KeyFacts } from './published/key-facts.js';
import { ReadCurrentKeyController } from './read-current-key/read-current-key.controller.js';
import { ReadCurrentKeyHandler } from './read-current-key/read-current-key.query.js';
import { ReadKeyController } from './read-key/read-key.controller.js';
import { ReadKeyHandler } from './read-key/read-key.query.js';
import { UpdateKeyController } from './update-key/update-key.controller.js';
import { Authorization } from './authorize/authorize.lookup.js';
import { VerifyKeyController } from './verify-key/verify-key.controller.js';
import { VerifyKeyHandler } from './verify-key/verify-key.lookup.js';
import { UpdateKeyHandler } from './update-key/update-key.command.js';

const controllers = [
  VerifyKeyController,
  IntrospectKeyController,
  CreateKeyController,
  ListKeysController,
  ReadKeyController,
  UpdateKeyController,
  DeleteKeyController,
  ReadCurrentKeyController,
];

const useCases = [
  CreateKeyHandler,
  ListKeysHandler,
  ReadKeyHandler,
  UpdateKeyHandler,
  DeleteKeyHandler,
  ReadCurrentKeyHandler,
  VerifyKeyHandler,
];

/** The settings of API keys. */
interface KeysOptions {
  readonly keyCreationLimit: RequestRate;
  /** How many keys an account may have. */
  readonly keyQuota: number;
  /** The value of the field `iss` in introspections; undefined when introspections have no such field. */
  readonly issuer: string | undefined;
}

@Module({})
export class KeysModule {
  /** @param accounts the module that exports `src/features/accounts/published/`. */
  static register(
    { keyCreationLimit, keyQuota, issuer }: KeysOptions,
    accounts: DynamicModule,
  ): DynamicModule {
    return {
      module: KeysModule,
      // The accounts module needs WORKSPACE_KEYS, but cannot import this module, because that import would be circular.
      global: true,
      imports: [accounts],
      controllers,
      providers: [
        { provide: KEY_CREATION_LIMIT, useValue: keyCreationLimit },
        { provide: KEY_QUOTA, useValue: keyQuota },
        { provide: ISSUER, useValue: issuer },
        KeyQuota,
        KeyCreationLimitInterceptor,
        KeyDirectory,
        { provide: WORKSPACE_KEYS, useExisting: KeyDirectory },
        KeyFacts,
        Authorization,
        ...useCases,
      ],
      exports: [KeyDirectory, KeyFacts, WORKSPACE_KEYS, Authorization],
    };
  }
}
