import { isUuid } from '../../kernel/uuid.js';

/** In code points, all of them ASCII. */
export const MAX_SLUG_LENGTH = 50;

export const SLUG_PATTERN = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;

/** What is left of accents once they are taken apart from their letters. */
const ACCENTS = /\p{Mark}/gu;

/** Of a name in which nothing can stand in a slug. */
const NAMELESS = 'workspace';

/** Whether a text can be a slug. A UUID cannot: in a path it would stand for an id. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG_PATTERN.test(text) && !isUuid(text);
}

/**
 * A slug made of a name: of all other characters hyphens are left, and nothing at its ends. Events are read with
 * this: what it answers must stay as it is.
 */
function slugOf(name: string, maxLength = MAX_SLUG_LENGTH): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [NAMELESS];
  const slug = words.join('-');
  return cut(isUuid(slug) ? `${NAMELESS}-${slug}` : slug, maxLength);
}

/**
 * A slug for a new workspace, made of its name without its accents, that is none of those taken: numbered, from 2 on,
 * when the name's own is.
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
 * The slug of a workspace that was made before there were slugs. It holds the whole id, so that no other workspace
 * can have it. What it answers must stay as it is, too.
 */
export function slugOfUnnamed(name: string, workspaceId: string): string {
  const id = workspaceId.toLowerCase().replace(/[^a-z0-9]/g, '');
  return `${slugOf(name, MAX_SLUG_LENGTH - 1 - id.length)}-${id}`;
}

function cut(slug: string, maxLength: number): string {
  return slug.slice(0, Math.max(maxLength, 1)).replace(/-$/, '');
}
