import type { INestApplicationContext, Type } from '@nestjs/common';
import { type Command, CommandBus } from '@nestjs/cqrs';
import { UnreadableEventError } from '../event-log/event-registry.js';
import type { Origin } from '../kernel/metadata.js';
import { Maintenance } from '../projections/maintenance.js';

/** What a command of the command line works with: the service's own parts, without its HTTP side. */
export class OperatorSession {
  readonly origin: Origin;

  /** @param operator the name of whoever runs the command. */
  constructor(
    private readonly context: INestApplicationContext,
    operator: string,
  ) {
    this.origin = { actor: { type: 'operator', id: operator, user_id: null }, requestId: null };
  }

  /** A part of the service. */
  get<Part>(part: Type<Part>): Part {
    return this.context.get(part, { strict: false });
  }

  /** Carries out a command of a feature. */
  execute<Result>(command: Command<Result>): Promise<Result> {
    return this.context.get(CommandBus).execute(command);
  }

  /** A directory whose read models have been brought up to date, whether or not a service is running. */
  async upToDate<Directory>(projection: string, directory: Type<Directory>): Promise<Directory> {
    await this.get(Maintenance).catchUp(projection);
    return this.context.get(directory, { strict: false });
  }

  /** As `upToDate`; where an event cannot be read it ends before that, which standard error is told. */
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
