import { Global, Module } from '@nestjs/common';
import { KEY_FINDER } from '../../edge/http/callers/bearer-key.js';
import { HeardPositions } from '../../event-sourcing/waiting/heard-positions.js';
import { KEYS_IN_MEMORY } from '../keys/published/keys-by-string.port.js';
import { ForwardAuth } from './forward-auth/forward-auth.js';
import { IntrospectionController } from './introspection.controller.js';
import { CallerFinder } from './known-keys/caller-finder.js';
import { EndUserMemory } from './known-keys/end-user-memory.js';
import { KeyMemory } from './known-keys/key-memory.js';
import { KeyReader } from './known-keys/key-reader.js';
import { VerificationController } from './verification.controller.js';
import { Verifier } from './verifier.js';

/** Verifies keys, and finds the keys of callers for the guard of every route. */
@Global()
@Module({
  controllers: [VerificationController, IntrospectionController],
  providers: [
    KeyReader,
    EndUserMemory,
    KeyMemory,
    HeardPositions,
    { provide: KEY_FINDER, useClass: CallerFinder },
    { provide: KEYS_IN_MEMORY, useExisting: KeyMemory },
    Verifier,
    ForwardAuth,
  ],
  exports: [KEY_FINDER, KEYS_IN_MEMORY, KeyMemory, HeardPositions, Verifier, ForwardAuth],
})
export class VerificationModule {}
