import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { notFound } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import { START } from '../../kernel/position.js';
import {
  type EndUser,
  endUser,
  endUserId,
  registerEndUser,
  setEndUserActive,
} from './domain/end-user.js';
import type { RegisterEndUserRequest, UpdateEndUserRequest } from './end-user.fields.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';

export interface Registration {
  readonly endUser: EndUser;
  /** False when the tracking string was registered before. */
  readonly isNew: boolean;
}

export class RegisterEndUser extends Command<Registration> {
  constructor(
    readonly organizationId: string,
    readonly body: RegisterEndUserRequest,
    readonly origin: Origin,
    /** Whether a registered tracking string is returned as it is. If not, it is refused. */
    readonly mayRepeat: boolean,
  ) {
    super();
  }
}

@CommandHandler(RegisterEndUser)
export class RegisterEndUserHandler implements ICommandHandler<RegisterEndUser> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute(command: RegisterEndUser): Promise<Registration> {
    const { organizationId, body, origin, mayRepeat } = command;
    const { user } = body;
    const { state, position } = await this.runner.run({
      aggregate: endUser,
      id: endUserId(organizationId, user),
      accountId: organizationId,
      origin,
      expectNew: true,
      decide: (before) => registerEndUser(before, organizationId, user, mayRepeat),
    });
    if (!state) throw new Error('a registration left no end user');
    return { endUser: state, isNew: position !== START };
  }
}

export class UpdateEndUser extends Command<EndUser> {
  constructor(
    readonly organizationId: string,
    readonly user: string,
    readonly body: UpdateEndUserRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(UpdateEndUser)
export class UpdateEndUserHandler implements ICommandHandler<UpdateEndUser> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ organizationId, user, body, origin }: UpdateEndUser): Promise<EndUser> {
    const { state } = await this.runner.run({
      aggregate: endUser,
      id: endUserId(organizationId, user),
      accountId: organizationId,
      origin,
      decide: (before) => setEndUserActive(before, body.is_active),
    });
    if (!state) throw notFound();
    return state;
  }
}
