import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';
import { isCleanText } from '../kernel/text.js';
import { codePoints, isTrackingString } from '../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../kernel/utc-timestamp.js';

/** The field may be absent; null is a value like any other. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

function rule(
  name: string,
  validate: (value: unknown) => boolean,
  says: string,
): PropertyDecorator {
  return ValidateBy({
    name,
    validator: { validate, defaultMessage: buildMessage((each) => `${each}$property ${says}`) },
  });
}

/** A string of storable Unicode text; without `max` it must not be empty. Lengths are in code points. */
export function IsText({ max }: { max?: number } = {}): PropertyDecorator {
  const length = max === undefined ? 'at least 1 character' : `1 to ${max} characters`;
  return rule(
    'isText',
    (value) =>
      typeof value === 'string' &&
      value !== '' &&
      isCleanText(value) &&
      codePoints(value) <= (max ?? Infinity),
    `must be a string of ${length}, well-formed Unicode without NUL`,
  );
}

export const TRACKING_STRING_RULE =
  'must be a string of 1 to 512 characters, well-formed Unicode without NUL and without surrounding white space';

export function IsTrackingString(): PropertyDecorator {
  return rule('isTrackingString', isTrackingString, TRACKING_STRING_RULE);
}

/** The field is another name of `other`, so only one of the two may be given. */
export function IsOtherNameOf(other: string): PropertyDecorator {
  return ValidateBy({
    name: 'isOtherNameOf',
    validator: {
      validate: (_value, context) =>
        (context?.object as Readonly<Record<string, unknown>> | undefined)?.[other] === undefined,
      defaultMessage: buildMessage(
        (each) =>
          `${each}$property must not be given together with ${other}, whose other name it is`,
      ),
    },
  });
}

/** `YYYY-MM-DDTHH:MM:SSZ`, with any number of fractional digits. */
export function IsUtcTimestamp(): PropertyDecorator {
  return rule(
    'isUtcTimestamp',
    (value) => typeof value === 'string' && parseUtcTimestamp(value) !== null,
    'must be a real date and time in the form YYYY-MM-DDTHH:MM:SSZ (seconds are mandatory, fractions allowed)',
  );
}

/** A query parameter of plain decimal digits within bounds, as text. */
export function IsPlainInteger({ min, max }: { min: number; max?: number }): PropertyDecorator {
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return rule(
    'isPlainInteger',
    (value) =>
      typeof value === 'string' &&
      /^[0-9]+$/.test(value) &&
      Number(value) >= min &&
      Number(value) <= (max ?? Infinity),
    `must be given once, as a whole number ${bounds} in plain decimal digits`,
  );
}

/** A query parameter that is `true` or `false`, as text. */
export function IsBooleanText(): PropertyDecorator {
  return rule(
    'isBooleanText',
    (value) => value === 'true' || value === 'false',
    'must be given once, as true or false',
  );
}

/** A finite amount of USD that is not negative. */
export function IsUsdAmount(): PropertyDecorator {
  return rule(
    'isUsdAmount',
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    'must be a finite number of at least 0',
  );
}
