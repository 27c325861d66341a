import type { Type } from '@nestjs/common';
import { isObject, ValidateBy, ValidateIf } from 'class-validator';

/** Lets a request leave the field out. The other rules of the field still check a null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/**
 * Makes a rule for a field.
 * @param validate gets the value of the field, and all fields of the object.
 * @param says the rest of the message, after the name of the field.
 */
export function rule(
  validate: (value: unknown, fields: Readonly<Record<string, unknown>>) => boolean,
  says: string,
): PropertyDecorator {
  return ValidateBy({
    // Two rules of a field need different names.
    name: says,
    validator: {
      validate: (value, context) =>
        validate(value, (context?.object ?? {}) as Readonly<Record<string, unknown>>),
      defaultMessage: () => `$property ${says}`,
    },
  });
}

export function textRule(fits: (text: string) => boolean, says: string): PropertyDecorator {
  return rule((value) => typeof value === 'string' && fits(value), says);
}

export const OBJECT_RULE = 'isObjectOf';

/** The rule that a value is an object. It keeps the class whose fields the object may have. */
export function objectRule(shape: () => Type): PropertyDecorator {
  return ValidateBy({
    name: OBJECT_RULE,
    constraints: [shape],
    validator: {
      validate: isObject,
      defaultMessage: () => '$property must be an object',
    },
  });
}
