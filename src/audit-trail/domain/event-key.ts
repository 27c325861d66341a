import type { Position } from '../../kernel/position.js';
import { shortened } from './order.js';

/** No position has one. */
const BETWEEN = ' ';

/** The key of an event: of those with one id, which an import or a merge may bring, the one that came first is first. */
export function eventKeyOf({ id, position }: { id: string; position: Position }): string {
  return id + BETWEEN + shortened(position);
}

export function idIn(key: string): string {
  return key.slice(0, key.lastIndexOf(BETWEEN));
}

/** What is before the keys of an id, in their order, and behind those of ids before. */
export function beforeKeysOf(id: string): string {
  return id + BETWEEN;
}
