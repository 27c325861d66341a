import type { Foldable } from '../../../kernel/aggregate.js';
import { Refusal } from '../../../kernel/errors.js';
import { type KeyEvent, keyEvents } from './key.events.js';
import { isKey, type KeyState, unknownWorkspace } from './key.js';
import { liveString } from './key-strings.js';

/** The content of the creation of a key: every field of the request, and whose the key is. */
export type KeyContent = Extract<KeyEvent, { type: 'ApiKeyCreated' }>['data'];

/** The content of a key's creation, which no later change touches; null before the creation. */
export const keyContent: Foldable<KeyContent | null, KeyEvent> = {
  events: keyEvents,
  initial: null,
  evolve: (content, event) => (event.type === 'ApiKeyCreated' ? event.data : content),
};

/**
 * Decides the creation of a key whose hash nothing has.
 * @param wanted the key, without its workspace.
 * @param workspace_id the wanted workspace; undefined when the account has no such workspace.
 * @throws Refusal when `workspace_id` is undefined.
 */
export function createKey(
  wanted: Omit<KeyContent, 'workspace_id'>,
  workspace_id: string | undefined,
): KeyEvent[] {
  if (workspace_id === undefined) throw unknownWorkspace();
  return [{ type: 'ApiKeyCreated', data: { ...wanted, workspace_id } }];
}

/** @throws Refusal unless a hash that is known is that of a key of the account, and opens it. */
export function requireOwnHash(state: KeyState, accountId: string, now: Date): void {
  if (!isKey(state) || state.account_id !== accountId) throw new Refusal('hash-used');
  if (!liveString(state, state.hash, now)) throw new Refusal('string-ended');
}

/** @throws Refusal, which names the fields, when a creation is repeated with other content. */
export function requireSameContent(recorded: KeyContent, wanted: KeyContent): void {
  const all = Object.keys(wanted) as readonly (keyof KeyContent)[];
  const fields = all.filter((field) =>
    field === 'external'
      ? recorded.external?.user !== wanted.external?.user ||
        recorded.external?.lookup_key_hash !== wanted.external?.lookup_key_hash
      : recorded[field] !== wanted[field],
  );
  if (fields.length > 0) throw new Refusal('key-differs', { fields });
}
