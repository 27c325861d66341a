import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { type EndUser, endUser, registerEndUser } from '../domain/end-user.js';
import { streamOf } from '../stream-of.js';
import { RegisterEndUser } from './register-end-user.command.js';

@CommandHandler(RegisterEndUser)
export class RegisterEndUserHandler implements ICommandHandler<RegisterEndUser> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ organizationId, user, origin }: RegisterEndUser): Promise<EndUser> {
    const { state } = await this.runner.run({
      aggregate: endUser,
      stream: streamOf(organizationId, user),
      accountId: organizationId,
      origin,
      expectNew: true,
      decide: (before) => registerEndUser(before, { organizationId, user }),
    });
    if (!state) throw new Error('a registration left no end user');
    return state;
  }
}
