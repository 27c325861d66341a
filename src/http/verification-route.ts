import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const VERIFICATION = 'keyledger:verification-route';

/**
 * Marks a route of verifications (docs/api.md 12). It changes nothing, so no limit of writes counts it. It is answered from
 * memory for as long as a verification may be.
 */
export function VerificationRoute(): MethodDecorator {
  return SetMetadata(VERIFICATION, true);
}

/** Whether the route of a request is marked so. */
export function isVerificationRoute(context: ExecutionContext): boolean {
  return Reflect.getMetadata(VERIFICATION, context.getHandler()) === true;
}
