import { Inject } from '@nestjs/common';
import { CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { DecisionRunner } from '../../event-log/decision-runner.js';
import { notFound } from '../../kernel/errors.js';
import { type EndUser, endUser, setEndUserActive } from '../domain/end-user.js';
import { streamOf } from '../stream-of.js';
import { UpdateEndUser } from './update-end-user.command.js';

@CommandHandler(UpdateEndUser)
export class UpdateEndUserHandler implements ICommandHandler<UpdateEndUser> {
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ organizationId, user, isActive, origin }: UpdateEndUser): Promise<EndUser> {
    const { state } = await this.runner.run({
      aggregate: endUser,
      stream: streamOf(organizationId, user),
      accountId: organizationId,
      origin,
      decide: (before) => setEndUserActive(before, isActive),
    });
    if (!state) throw notFound();
    return state;
  }
}
