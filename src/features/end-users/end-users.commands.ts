import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-sourcing/decisions/decision-runner.js';
import { notFound } from '../../kernel/errors.js';
import type { Origin } from '../../kernel/metadata.js';
import {
  type EndUser,
  endUser,
  endUserId,
  registerEndUser,
  setEndUserActive,
} from './domain/end-user.js';
import type { RegisterEndUserRequest, UpdateEndUserRequest } from './end-user.fields.js';
import { MANAGEMENT } from '../../event-sourcing/ledger.js';

export class RegisterEndUser extends Command<EndUser> {
  constructor(
    readonly organizationId: string,
    readonly body: RegisterEndUserRequest,
    readonly origin: Origin,
  ) {
    super();
  }
}

@CommandHandler(RegisterEndUser)
export class RegisterEndUserHandler implements ICommandHandler<RegisterEndUser> {
  constructor(@Inject(MANAGEMENT.runner) private readonly runner: DecisionRunner) {}

  async execute({ organizationId, body: { user }, origin }: RegisterEndUser): Promise<EndUser> {
    const { state } = await this.runner.run({
      aggregate: endUser,
      id: endUserId(organizationId, user),
      accountId: organizationId,
      origin,
      expectNew: true,
      decide: (before) => registerEndUser(before, organizationId, user),
    });
    if (!state) throw new Error('a registration left no end user');
    return state;
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
