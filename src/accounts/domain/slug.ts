import { isUuid } from '../../kernel/uuid.js';

export const MAX_SLUG_LENGTH = 50;

export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** The marks that NFD makes of accents. */
const ACCENTS = /\p{Mark}/gu;

/** The slug of a name without a character that a slug may have. */
const NAMELESS = 'workspace';

/** Whether a text can be a slug. A UUID cannot: in a path it would stand for an id. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(text) && !isUuid(text);
}

/**
 * Makes a slug of a name: each run of other characters becomes a hyphen, and none stands at the ends.
 * Stored events are read with this function, so its results must never change.
 */
function slugOf(name: string, maxLength = MAX_SLUG_LENGTH): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [NAMELESS];
  const slug = words.join('-');
  return cut(isUuid(slug) ? `${NAMELESS}-${slug}` : slug, maxLength);
}

/**
 * Makes a slug for a new workspace of its name without accents. The slug gets a number, from 2 on, when others have it
 * already.
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

/**
 * The slug of a workspace that an earlier release created without one. It holds the whole id, so that no other workspace
 * has it. Stored events are read with this function, so its results must never change.
 */
export function slugOfUnnamed(name: string, workspaceId: string): string {
  const id = workspaceId.toLowerCase().replace(/[^a-z0-9]/g, '');
  return `${slugOf(name, MAX_SLUG_LENGTH - 1 - id.length)}-${id}`;
}

function cut(slug: string, maxLength: number): string {
  return slug.slice(0, Math.max(maxLength, 1)).replace(/-$/, '');
}
