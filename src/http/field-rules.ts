import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';
import { codePoints, isBlank, isCleanText, TEXT_MAX_LENGTH } from '../kernel/text.js';
import { isTrackingString, TRACKING_STRING_MAX_LENGTH } from '../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../kernel/utc-timestamp.js';

/** The field may be absent; null is a value like any other. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** A rule of its own, in words that follow the name of the field. */
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

interface Counts {
  readonly min: number;
  readonly max: number;
}

/** What a text must be. Lengths are in code points. */
export interface TextBounds {
  /** Default 1. */
  readonly min?: number;
  /** Default 512. */
  readonly max?: number;
  /** Whether white space alone will not do. Default false. */
  readonly visible?: boolean;
}

/** What `IsText` says. */
export function textRule(bounds: TextBounds = {}): string {
  return `must be a string of ${textNoun(bounds)}`;
}

/** What `IsTexts` says. */
export function textsRule({ min, max }: Counts, bounds: TextBounds = {}): string {
  return `must be an array of ${min} to ${max} strings of ${textNoun(bounds)}`;
}

function textNoun({ min = 1, max = TEXT_MAX_LENGTH, visible = false }: TextBounds): string {
  const notBlank = visible ? ', not of white space alone' : '';
  return `${min} to ${max} characters, well-formed Unicode without NUL${notBlank}`;
}

/** A string of storable Unicode text that is not empty, unless `min` is 0. */
export function IsText(bounds: TextBounds = {}): PropertyDecorator {
  return rule('isText', (value) => isText(value, bounds), textRule(bounds));
}

/** An array of so many such strings. */
export function IsTexts(items: Counts, bounds: TextBounds = {}): PropertyDecorator {
  return rule(
    'isTexts',
    (value) =>
      Array.isArray(value) &&
      value.length >= items.min &&
      value.length <= items.max &&
      value.every((item) => isText(item, bounds)),
    textsRule(items, bounds),
  );
}

function isText(
  value: unknown,
  { min = 1, max = TEXT_MAX_LENGTH, visible = false }: TextBounds,
): boolean {
  if (typeof value !== 'string' || !isCleanText(value)) return false;
  if (visible && isBlank(value)) return false;
  const length = codePoints(value);
  return length >= min && length <= max;
}

export const TRACKING_STRING_RULE = `must be a string of 1 to ${TRACKING_STRING_MAX_LENGTH} characters, well-formed Unicode without NUL and without surrounding white space`;

export function IsTrackingString(): PropertyDecorator {
  return rule('isTrackingString', isTrackingString, TRACKING_STRING_RULE);
}

/** The field is another name of `other`, so only one of the two may be given. */
export function IsOtherNameOf(other: string): PropertyDecorator {
  const says = `must not be given together with ${other}, whose other name it is`;
  return comparedWith(other, says, (_, found) => found == null);
}

/** A rule about a field and another one of the same request, in words that follow the name of the first. */
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

/** A query parameter that is not repeated. Its other rules say what it must be; this one stands last, to be told first. */
export function IsGivenOnce(): PropertyDecorator {
  return rule('isGivenOnce', (value) => !Array.isArray(value), 'must be given once');
}

export const USD_RULE = 'must be a finite number of at least 0';

/** A finite amount of USD that is not negative. */
export function IsUsdAmount(): PropertyDecorator {
  return rule(
    'isUsdAmount',
    (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
    USD_RULE,
  );
}
