import { isUuid } from '../../../kernel/uuid.js';

export const MAX_SLUG_LENGTH = 50;

export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The combining marks, such as accents, that NFD normalisation separates from their letters. */
const ACCENTS = /\p{Mark}/gu;

/** The slug of a name without a-z and 0-9; also the prefix for a slug that would be a UUID. */
const NAMELESS_SLUG = 'workspace';

/** Whether a string is a valid slug. A UUID is none: in a path it is the id of a workspace. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(text) && !isUuid(text);
}

/** Makes a slug in lower case. Inner runs of characters other than a-z and 0-9 become hyphens. */
function slugOf(name: string, maxLength = MAX_SLUG_LENGTH): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [NAMELESS_SLUG];
  const slug = words.join('-');
  const whole = isUuid(slug) ? `${NAMELESS_SLUG}-${slug}` : slug;
  return whole.slice(0, maxLength).replace(/-$/, '');
}

/**
 * Makes a slug for a new workspace from its name, without accents. If another workspace has the
 * slug, appends the first free number from 2 on.
 */
export function freeSlugOf(name: string, taken: ReadonlySet<string>): string {
  const plain = name.normalize('NFD').replace(ACCENTS, '');
  let slug = slugOf(plain);
  for (let number = 2; taken.has(slug); number++) {
    const suffix = `-${number}`;
    slug = slugOf(plain, MAX_SLUG_LENGTH - suffix.length) + suffix;
  }
  return slug;
}
