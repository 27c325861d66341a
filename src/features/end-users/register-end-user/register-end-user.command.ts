import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PickType } from '@nestjs/swagger';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { Whole } from '../../../edge/http/fields/whole-shape.js';
import type { Origin } from '../../../kernel/metadata.js';
import { type EndUser, endUser, endUserStream, registerEndUser } from '../domain/end-user.js';
import { EndUserFields } from '../end-user.fields.js';

/** The body of `POST /v1/end-users` (docs/api.md 5.2). Unknown fields are refused. */
@Whole({ additionalProperties: false })
export class RegisterEndUserRequest extends PickType(EndUserFields, ['user']) {}

/** Registers a tracking string with an organization. Returns the end user. Refuses a second registration. */
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
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ organizationId, body: { user }, origin }: RegisterEndUser): Promise<EndUser> {
    const { state } = await this.runner.run({
      aggregate: endUser,
      stream: endUserStream(organizationId, user),
      accountId: organizationId,
      origin,
      expectNew: true,
      decide: (before) => registerEndUser(before, organizationId, user),
    });
    if (!state) throw new Error('a registration left no end user');
    return state;
  }
}
