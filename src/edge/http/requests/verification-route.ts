import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const VERIFICATION = 'keyledger:verification-route';

/**
 * Marks a route that verifies keys (docs/api.md 12). The route changes nothing, so the limit of writes does not count
 * its requests. The caller's key may come from memory that is as old as a verification allows.
 */
export function VerificationRoute(): MethodDecorator {
  return SetMetadata(VERIFICATION, true);
}

/** Whether `VerificationRoute` marks the route of a request. */
export function isVerificationRoute(context: ExecutionContext): boolean {
  return Reflect.getMetadata(VERIFICATION, context.getHandler()) === true;
}
