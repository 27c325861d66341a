import { Global, Module } from '@nestjs/common';
import { KEY_COUNT } from '../accounts/published/key-count.port.js';
import { CurrentKeyController } from './current-key.controller.js';
import { EffectiveKeys } from './effective-keys.js';
import { KeyDirectory } from './key-directory/key-directory.js';
import { KeyQuota } from './key-quota.js';
import { CreateKeyHandler, DeleteKeyHandler, UpdateKeyHandler } from './keys.commands.js';
import { EndKeyStringHandler, RotateKeyHandler } from './key-strings.commands.js';
import { KeyStringsController } from './key-strings.controller.js';
import { KeysWithUse } from './keys-with-use.js';
import { KeysController } from './keys.controller.js';
import { KeyFacts } from './published/key-facts.js';
import { KEYS_IN_DIRECTORY } from './published/keys-by-string.port.js';

@Global()
@Module({
  controllers: [KeysController, KeyStringsController, CurrentKeyController],
  providers: [
    KeyQuota,
    KeyDirectory,
    EffectiveKeys,
    KeysWithUse,
    { provide: KEY_COUNT, useExisting: KeyDirectory },
    { provide: KEYS_IN_DIRECTORY, useExisting: KeyDirectory },
    KeyFacts,
    CreateKeyHandler,
    UpdateKeyHandler,
    DeleteKeyHandler,
    RotateKeyHandler,
    EndKeyStringHandler,
  ],
  exports: [KeyDirectory, KeyFacts, KEY_COUNT, KEYS_IN_DIRECTORY],
})
export class KeysModule {}
