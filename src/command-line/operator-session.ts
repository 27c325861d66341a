import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, CommandBus, type Query, QueryBus } from '@nestjs/cqrs';
import { UnreadableEventError } from '../event-log/event-registry.js';
import { CLOCK, type Clock } from '../kernel/clock.js';
import type { Origin } from '../kernel/metadata.js';
import { Maintenance } from '../projections/maintenance.js';

/** The parts of the service that a command of the command line uses. It has no HTTP side. */
export class OperatorSession {
  readonly origin: Origin;

  /** @param operator the name of the person who runs the command. */
  constructor(
    private readonly context: INestApplicationContext,
    operator: string,
  ) {
    this.origin = { actor: { type: 'operator', id: operator, user_id: null }, requestId: null };
  }

  /** Gives a part of the service. */
  get<Part>(part: Type<Part>): Part {
    return this.context.get(part, { strict: false });
  }

  /** Runs a command of a feature. */
  execute<Result>(command: Command<Result>): Promise<Result> {
    return this.context.get(CommandBus).execute(command);
  }

  /** Asks a query of a feature. The read models that it needs must be up to date. */
  ask<Result>(query: Query<Result>): Promise<Result> {
    return this.context.get(QueryBus).execute(query);
  }

  /** The time of the service's clock. */
  now(): Date {
    return this.context.get<Clock>(CLOCK, { strict: false }).now();
  }

  /** Gives a directory after its projection has caught up with the log, with or without a running service. */
  async upToDate<Directory>(projection: string, directory: Type<Directory>): Promise<Directory> {
    await this.get(Maintenance).catchUp(projection);
    return this.context.get(directory, { strict: false });
  }

  /** Like `upToDate`, but an unreadable event is reported on standard error. The directory ends before that event. */
  async asFarAsItGoes<Directory>(
    projection: string,
    directory: Type<Directory>,
  ): Promise<Directory> {
    try {
      return await this.upToDate(projection, directory);
    } catch (error) {
      if (!(error instanceof UnreadableEventError)) throw error;
      process.stderr.write(
        `${projection} is stuck, and told as far as it goes: ${error.message}\n`,
      );
      return this.context.get(directory, { strict: false });
    }
  }
}
