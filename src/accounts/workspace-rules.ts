import { IsText, IsTexts, rule } from '../http/field-rules.js';
import { TEXT } from '../http/field-schemas.js';
import { isSlug, MAX_SLUG_LENGTH, SLUG_PATTERN } from './domain/slug.js';

export const NAME = { min: 1, max: 100 };
export const DESCRIPTION = { min: 0, max: 500 };
export const RESTRICTIONS = { min: 0, max: 100 };
export const SLUG = {
  minLength: 1,
  maxLength: MAX_SLUG_LENGTH,
  pattern: SLUG_PATTERN.source,
  not: { format: 'uuid' },
};
export const USER_IDS = { min: 1, max: 100 };
/** Of a restriction or a user id. */
export const WORD = { min: 1, max: 512 };
/** The same as a schema says it. */
export const WORD_SCHEMA = { ...TEXT, maxLength: WORD.max };

export const IsWorkspaceName = (): PropertyDecorator => IsText(NAME);
export const IsDescription = (): PropertyDecorator => IsText(DESCRIPTION);
export const IsRestrictions = (): PropertyDecorator => IsTexts(RESTRICTIONS, WORD);
export const IsUserIds = (): PropertyDecorator => IsTexts(USER_IDS, WORD);

export function IsSlug(): PropertyDecorator {
  return rule(
    'isSlug',
    (value) => typeof value === 'string' && isSlug(value),
    `must be 1 to ${MAX_SLUG_LENGTH} of a-z, 0-9 and single hyphens between them, and no UUID`,
  );
}
