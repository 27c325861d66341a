import { z } from 'zod';

export const GROUPS = ['key', 'user'] as const;

/** The parameters that choose rows by what they are about. At most those of one group are given. */
export const FILTERS = ['api_key_hash', 'workspace_id', 'user'] as const;

const filter = z.strictObject({
  group_by: z.enum(GROUPS),
  from: z.string(),
  to: z.string(),
  api_key_hash: z.string().optional(),
  workspace_id: z.string().optional(),
  user: z.string().optional(),
});

/** Which rows are asked for: those of the dates `from` to `to`, both included, that have every other value given. */
export type ActivityFilter = Readonly<z.infer<typeof filter>>;

/** The rows that match a filter, behind a place. The first page has no place. */
export interface Asked {
  readonly filter: ActivityFilter;
  readonly after: string | undefined;
}

/** The place behind which a page begins, and what pages before it were asked. */
const cursor = z.strictObject({ account_id: z.string(), after: z.string(), filter });

export type ActivityCursor = Readonly<z.infer<typeof cursor>>;

/** The greatest length of a cursor, which may name two users. JSON may take six bytes for a character of them. */
export const LONGEST_CURSOR = 9_000;

/** Returns a cursor as a text. It has no seal, because a forged one reads nothing but rows of the caller's own account. */
export function cursorText(content: ActivityCursor): string {
  return Buffer.from(JSON.stringify(content)).toString('base64url');
}

/** Returns the content of a cursor that an account was given; undefined for other texts. */
export function cursorIn(text: string, accountId: string): ActivityCursor | undefined {
  try {
    const content = cursor.parse(JSON.parse(Buffer.from(text, 'base64url').toString()));
    return content.account_id === accountId ? content : undefined;
  } catch {
    return undefined;
  }
}
