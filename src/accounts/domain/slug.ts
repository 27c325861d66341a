/** In code points, all of them ASCII. */
export const MAX_SLUG_LENGTH = 50;

const SLUG = /^[a-z0-9]+(?:-[a-z0-9]+)*$/;
const UUID = /^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Of a name in which nothing can stand in a slug. */
const NAMELESS = 'workspace';

/** Whether a text can be a slug. A UUID cannot: in a path it would stand for an id. */
export function isSlug(text: string): boolean {
  return text.length <= MAX_SLUG_LENGTH && SLUG.test(text) && !UUID.test(text);
}

/** A slug made of a name: of all other characters hyphens are left, and nothing at its ends. */
export function slugOf(name: string, maxLength = MAX_SLUG_LENGTH): string {
  const words = name.toLowerCase().match(/[a-z0-9]+/g) ?? [NAMELESS];
  const slug = words.join('-');
  return cut(UUID.test(slug) ? `${NAMELESS}-${slug}` : slug, maxLength);
}

/** A slug made of a name that is none of those taken: numbered, from 2 on, when the name's own is. */
export function freeSlugOf(name: string, taken: ReadonlySet<string>): string {
  let slug = slugOf(name);
  for (let number = 2; taken.has(slug); number++) {
    const suffix = `-${number}`;
    slug = slugOf(name, MAX_SLUG_LENGTH - suffix.length) + suffix;
  }
  return slug;
}

/**
 * The slug of a workspace that was made before there were slugs. It holds the whole id, so that no other workspace
 * can have it. Events are read with this: what it answers must stay as it is.
 */
export function slugOfUnnamed(name: string, workspaceId: string): string {
  const id = workspaceId.toLowerCase().replace(/[^a-z0-9]/g, '');
  return `${slugOf(name, MAX_SLUG_LENGTH - 1 - id.length)}-${id}`;
}

function cut(slug: string, maxLength: number): string {
  return slug.slice(0, Math.max(maxLength, 1)).replace(/-$/, '');
}
