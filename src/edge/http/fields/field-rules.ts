import { buildMessage, ValidateBy, ValidateIf } from 'class-validator';
import { codePoints, isBlank, isCleanText, TEXT_MAX_LENGTH } from '../../../kernel/text.js';
import { TRACKING_STRING_MAX_LENGTH } from '../../../kernel/tracking-string.js';

/** Lets a request leave the field out. The other rules of the field still check a null. */
export function MayBeAbsent(): PropertyDecorator {
  return ValidateIf((_, value) => value !== undefined);
}

/** Lets the field be null. */
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

/** Declares a field as an alias of `other`. A request must not give both fields. */
export function IsOtherNameOf(other: string): PropertyDecorator {
  const says = `must not be given together with ${other}, whose other name it is`;
  return comparedWith(other, says, (_, found) => found == null);
}

/** Refuses a repeated query parameter. If several rules are broken, class-validator reports the last declared rule. */
export function IsGivenOnce(): PropertyDecorator {
  return rule('isGivenOnce', (value) => !Array.isArray(value), 'must be given once');
}

interface Counts {
  readonly min: number;
  readonly max: number;
}

/** The limits that a string must keep to. */
export interface TextBounds {
  /** The smallest length, in code points. Default 1. */
  readonly min?: number;
  /** The greatest length, in code points. Default 512. */
  readonly max?: number;
  /** Whether the string needs a character that is not white space. Default false. */
  readonly visible?: boolean;
}

/** Returns the message of the rule for a string. */
export function textRule(bounds: TextBounds = {}): string {
  return `must be a string of ${textNoun(bounds)}`;
}

/** Returns the message of the rule for an array of strings. */
export function textsRule({ min, max }: Counts, bounds: TextBounds = {}): string {
  return `must be an array of ${min} to ${max} strings of ${textNoun(bounds)}`;
}

function textNoun({ min = 1, max = TEXT_MAX_LENGTH, visible = false }: TextBounds): string {
  const notBlank = visible ? ', not of white space alone' : '';
  return `${min} to ${max} characters, well-formed Unicode without NUL${notBlank}`;
}

/** Whether a value is a string within bounds, without NUL and lone surrogates. */
export function isText(
  value: unknown,
  { min = 1, max = TEXT_MAX_LENGTH, visible = false }: TextBounds,
): boolean {
  if (typeof value !== 'string' || !isCleanText(value)) return false;
  if (visible && isBlank(value)) return false;
  const length = codePoints(value);
  return length >= min && length <= max;
}

export const TRACKING_STRING_RULE = `must be a string of 1 to ${TRACKING_STRING_MAX_LENGTH} characters, well-formed Unicode without NUL and without surrounding white space`;

export const USD_RULE = 'must be a finite number of at least 0';
