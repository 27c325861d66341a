import { type DynamicModule, Module } from '@nestjs/common';
import { CqrsModule } from '@nestjs/cqrs';
import { accountDirectory } from './accounts/account-directory/account-directory.projection.js';
import { AccountsModule } from './accounts/accounts.module.js';
import { accountEvents } from './accounts/domain/account.events.js';
import { auditTrail } from './audit-trail/audit-directory/audit-trail.projection.js';
import { AuditTrailModule } from './audit-trail/audit-trail.module.js';
import { AuthenticationModule } from './authentication/authentication.module.js';
import { endUserEvents } from './end-users/domain/end-user.events.js';
import { endUserDirectory } from './end-users/end-user-directory/end-user-directory.projection.js';
import { EndUsersModule } from './end-users/end-users.module.js';
import { EventLogModule } from './event-log/event-log.module.js';
import type { DomainEvent } from './kernel/event.js';
import { keyEvents } from './keys/domain/key.events.js';
import { keyDirectory } from './keys/key-directory/key-directory.projection.js';
import { KeysModule } from './keys/keys.module.js';
import { OperationsModule } from './operations/operations.module.js';
import type { Projection } from './projections/projection.js';
import { ProjectionsModule } from './projections/projections.module.js';
import { ReadStoreModule } from './read-store/read-store.module.js';
import type { Settings } from './settings/settings.js';

/** Every event that can be stored. */
export const EVENTS = [...accountEvents, ...keyEvents, ...endUserEvents];

/** Every read model. */
export const PROJECTIONS = [accountDirectory, keyDirectory, endUserDirectory, auditTrail];

/** The composition root: what the service is made of, wired by its settings. */
@Module({})
export class AppModule {
  /** @param projections others are for tests of what their versions do. */
  static register(
    settings: Settings,
    projections: readonly Projection<DomainEvent>[] = PROJECTIONS,
  ): DynamicModule {
    const keys = KeysModule.register(settings.keyCreationLimit);
    return {
      module: AppModule,
      imports: [
        CqrsModule.forRoot(),
        EventLogModule.register(settings, EVENTS),
        ReadStoreModule.register(settings),
        ProjectionsModule.register(projections, settings.readYourWritesTimeoutMs),
        AccountsModule,
        keys,
        EndUsersModule,
        AuditTrailModule,
        AuthenticationModule.register(keys),
        OperationsModule,
      ],
    };
  }
}
