import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { UnreadableEventError } from '../../event-sourcing/event-log/event-registry.js';
import type { Origin } from '../../kernel/metadata.js';
import { Maintenance } from '../../event-sourcing/projections/maintenance/maintenance.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';

/** The parts of the service that a command uses. A session has no HTTP server. */
export class OperatorSession {
  readonly origin: Origin;

  constructor(
    private readonly context: INestApplicationContext,
    operator: string,
  ) {
    this.origin = { actor: { type: 'operator', id: operator, user_id: null }, requestId: null };
  }

  get<Part>(part: Type<Part> | symbol): Part {
    return this.context.get(part, { strict: false });
  }

  execute<Result>(command: Command<Result>): Promise<Result> {
    return this.context.get(CommandBus).execute(command);
  }

  /** Catches the read models up and returns a directory. The service may run meanwhile. */
  async catchUp<Directory>(directory: Type<Directory>): Promise<Directory> {
    await this.get<Maintenance>(MANAGEMENT.maintenance).catchUp();
    return this.context.get(directory, { strict: false });
  }

  /**
   * Catches the read models up with the log and returns a directory. Reports an unreadable event on
   * standard error; the directory then ends before that event.
   */
  async catchUpAsFarAsPossible<Directory>(directory: Type<Directory>): Promise<Directory> {
    try {
      return await this.catchUp(directory);
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      process.stderr.write(
        `the read models are stuck, and the answer may be incomplete: ${error.message}\n`,
      );
      return this.context.get(directory, { strict: false });
    }
  }
}
