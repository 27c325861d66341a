import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';

/** Lets a request leave the field out. The other rules of the field still check a null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

export function MayBeNull(): PropertyDecorator {
  return ValidateIf((_, value) => value !== null);
}

/** Makes a rule for a field. @param says the rest of the message, after the name of the field. */
export function rule(
  name: string,
  validate: (value: unknown) => boolean,
  says: string,
): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate, defaultMessage: buildMessage((each) => `${each}$property ${says}`) },
  });
}

/** Makes a rule that compares a field with the field `other`. The error message is the field's name and `says`. */
export function comparedWith(
  other: string,
  says: string,
  validate: (value: unknown, other: unknown) => boolean,
): PropertyDecorator {
  return ValidateBy({
    name: `comparedWith${other}`,
    validator: {
      validate: (value, context) =>
        validate(
          value,
          (context?.object as Readonly<Record<string, unknown>> | undefined)?.[other],
        ),
      defaultMessage: buildMessage((each) => `${each}$property ${says}`),
    },
  });
}

/** Refuses a repeated query parameter. If several rules are broken, class-validator reports the last declared rule. */
export function IsGivenOnce(): PropertyDecorator {
  return rule('isGivenOnce', (value) => !Array.isArray(value), 'must be given once');
}
