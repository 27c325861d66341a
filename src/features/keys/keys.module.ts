import { type DynamicModule, Module } from '@nestjs/common';
import { WORKSPACE_KEYS } from '../accounts/published/workspace-keys.js';
import { CurrentKeyController } from './current-key.controller.js';
import { EffectiveKeys } from './effective-keys.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { KEY_QUOTA, KeyQuota } from './key-quota.js';
import { CreateKeyHandler, DeleteKeyHandler, UpdateKeyHandler } from './keys.commands.js';
import { KeysController } from './keys.controller.js';
import { KeyFacts } from './published/key-facts.js';
import { KEYS_IN_DIRECTORY } from './published/key-workspaces.js';

@Module({})
export class KeysModule {
  /**
   * @param keyQuota how many keys an account may have.
   * @param accounts the module that exports `src/features/accounts/published/`.
   */
  static register(keyQuota: number, accounts: DynamicModule): DynamicModule {
    return {
      module: KeysModule,
      // The accounts module needs WORKSPACE_KEYS, but cannot import this module, because that import would be circular.
      global: true,
      imports: [accounts],
      controllers: [KeysController, CurrentKeyController],
      providers: [
        { provide: KEY_QUOTA, useValue: keyQuota },
        KeyQuota,
        KeyDirectory,
        EffectiveKeys,
        { provide: WORKSPACE_KEYS, useExisting: KeyDirectory },
        { provide: KEYS_IN_DIRECTORY, useExisting: KeyDirectory },
        KeyFacts,
        CreateKeyHandler,
        UpdateKeyHandler,
        DeleteKeyHandler,
      ],
      exports: [KeyDirectory, KeyFacts, WORKSPACE_KEYS, KEYS_IN_DIRECTORY],
    };
  }
}
