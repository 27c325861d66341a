import { IsText, IsTexts, rule } from '../http/field-rules.js';
import { VISIBLE_TEXT } from '../http/field-schemas.js';
import { MOST_RESTRICTIONS, RESTRICTION_MAX_LENGTH } from './domain/workspace.js';
import { isSlug, MAX_SLUG_LENGTH, SLUG_PATTERN } from './domain/slug.js';

export const NAME = { max: 100, visible: true };
export const NAME_SCHEMA = { ...VISIBLE_TEXT, maxLength: NAME.max };
export const DESCRIPTION = { min: 0, max: 500 };
export const RESTRICTIONS = { min: 0, max: MOST_RESTRICTIONS };
export const RESTRICTION = { max: RESTRICTION_MAX_LENGTH, visible: true };
export const RESTRICTION_SCHEMA = { ...VISIBLE_TEXT, maxLength: RESTRICTION.max };
export const SLUG = {
  minLength: 1,
  maxLength: MAX_SLUG_LENGTH,
  pattern: SLUG_PATTERN.source,
  not: { type: 'string', format: 'uuid' },
};
export const USER_IDS = { min: 1, max: 100 };

export const IsWorkspaceName = (): PropertyDecorator => IsText(NAME);
export const IsDescription = (): PropertyDecorator => IsText(DESCRIPTION);
export const IsRestrictions = (): PropertyDecorator => IsTexts(RESTRICTIONS, RESTRICTION);
export const IsUserIds = (): PropertyDecorator => IsTexts(USER_IDS);

export function IsSlug(): PropertyDecorator {
  return rule(
    'isSlug',
    (value) => typeof value === 'string' && isSlug(value),
    `must be 1 to ${MAX_SLUG_LENGTH} of a-z, 0-9 and single hyphens between them, and no UUID`,
  );
}
