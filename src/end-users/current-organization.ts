import { createParamDecorator, type ExecutionContext } from '@nestjs/common';
import type { Request } from 'express';
import { Refusal } from '../kernel/errors.js';

/** The id of the caller's organization. An individual account has none: 404 (docs/api.md 5.4). */
export const CurrentOrganization = createParamDecorator(
  (_: unknown, context: ExecutionContext): string => {
    const { caller } = context.switchToHttp().getRequest<Request>();
    if (caller?.accountKind !== 'organization') throw new Refusal('organization-required');
    return caller.accountId;
  },
);
