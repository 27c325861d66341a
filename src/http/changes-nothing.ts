import { type ExecutionContext, SetMetadata } from '@nestjs/common';

const CHANGES_NOTHING = 'keyledger:changes-nothing';

/** Marks a route that changes nothing though its method may: no limit of writes applies to it. */
export function ChangesNothing(): MethodDecorator {
  return SetMetadata(CHANGES_NOTHING, true);
}

/** Whether the route of a request is marked so. */
export function changesNothing(context: ExecutionContext): boolean {
  return Reflect.getMetadata(CHANGES_NOTHING, context.getHandler()) === true;
}
