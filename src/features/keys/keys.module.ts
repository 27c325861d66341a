import { Global, Module } from '@nestjs/common';
import { KEY_COUNT } from '../accounts/published/key-count.port.js';
import { CurrentKeyController } from './current-key.controller.js';
import { EffectiveKeys } from './effective-keys.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { KeyQuota } from './key-quota.js';
import {
  ChangeKeyExpiryHandler,
  CreateKeyHandler,
  DeleteKeyHandler,
  UpdateKeyHandler,
} from './keys.commands.js';
import { KeysController } from './keys.controller.js';
import { KeyFacts } from './published/key-facts.js';
import { KEYS_IN_DIRECTORY } from './published/workspaces-of-keys.port.js';

@Global()
@Module({
  controllers: [KeysController, CurrentKeyController],
  providers: [
    KeyQuota,
    KeyDirectory,
    EffectiveKeys,
    { provide: KEY_COUNT, useExisting: KeyDirectory },
    { provide: KEYS_IN_DIRECTORY, useExisting: KeyDirectory },
    KeyFacts,
    CreateKeyHandler,
    UpdateKeyHandler,
    ChangeKeyExpiryHandler,
    DeleteKeyHandler,
  ],
  exports: [KeyDirectory, KeyFacts, KEY_COUNT, KEYS_IN_DIRECTORY],
})
export class KeysModule {}
