import { Inject } from '@nestjs/common';
import { Command, CommandHandler, type ICommandHandler } from '@nestjs/cqrs';
import { PickType } from '@nestjs/swagger';
import { DecisionRunner } from '../../../event-sourcing/decisions/decision-runner.js';
import { Whole } from '../../../edge/http/fields/whole-shape.js';
import { notFound } from '../../../kernel/errors.js';
import type { Origin } from '../../../kernel/metadata.js';
import { type EndUser, endUser, endUserStream, setEndUserActive } from '../domain/end-user.js';
import { EndUserFields } from '../end-user.fields.js';

/** The body of `PATCH /v1/end-users/{user}` (docs/api.md 5.6). Unknown fields are refused. */
@Whole({ additionalProperties: false })
export class UpdateEndUserRequest extends PickType(EndUserFields, ['is_active']) {}

/** Deactivates or reactivates an end user. Returns the updated end user. Throws a Refusal for an unknown end user. */
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
  constructor(@Inject(DecisionRunner) private readonly runner: DecisionRunner) {}

  async execute({ organizationId, user, body, origin }: UpdateEndUser): Promise<EndUser> {
    const { state } = await this.runner.run({
      aggregate: endUser,
      stream: endUserStream(organizationId, user),
      accountId: organizationId,
      origin,
      decide: (before) => setEndUserActive(before, body.is_active),
    });
    if (!state) throw notFound();
    return state;
  }
}
