import { type DynamicModule, Module } from '@nestjs/common';
import { AccountsModule } from '../accounts/accounts.module.js';
import { WORKSPACE_KEYS } from '../accounts/published/workspace-keys.js';
import { CreateKeyController } from './create-key/create-key.controller.js';
import { CreateKeyHandler } from './create-key/create-key.handler.js';
import {
  KEY_CREATION_LIMIT,
  type KeyCreationLimit,
  KeyCreationLimitInterceptor,
} from './create-key/key-creation-limit.interceptor.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { UpdateKeyController } from './update-key/update-key.controller.js';
import { UpdateKeyHandler } from './update-key/update-key.handler.js';

/** API keys. */
@Module({})
export class KeysModule {
  static register(keyCreationLimit: KeyCreationLimit): DynamicModule {
    return {
      module: KeysModule,
      // For accounts, which this module itself imports: they ask for WORKSPACE_KEYS.
      global: true,
      imports: [AccountsModule],
      controllers: [CreateKeyController, UpdateKeyController],
      providers: [
        { provide: KEY_CREATION_LIMIT, useValue: keyCreationLimit },
        KeyCreationLimitInterceptor,
        KeyDirectory,
        { provide: WORKSPACE_KEYS, useExisting: KeyDirectory },
        CreateKeyHandler,
        UpdateKeyHandler,
      ],
      exports: [KeyDirectory, WORKSPACE_KEYS],
    };
  }
}
