import { Global, Module } from '@nestjs/common';
import { KEY_USES } from '../keys/published/key-uses.js';
import { SPENDING } from '../keys/published/spending.js';
import { KnownSpending } from './spending/known-spending.js';
import { UsageDirectory } from './usage-directory/usage-directory.js';

/** Usage of keys: reports, and what is summed up of them. Keys and verification get the sums by names of `keys`. */
@Global()
@Module({
  providers: [
    UsageDirectory,
    { provide: KEY_USES, useExisting: UsageDirectory },
    KnownSpending,
    { provide: SPENDING, useExisting: KnownSpending },
  ],
  exports: [KEY_USES, SPENDING],
})
export class UsageModule {}
