import type { Recorded } from '../../kernel/event.js';
import type { Change, DocumentRef, Lookup, Projection } from '../../projections/projection.js';
import { key, type Key } from '../domain/key.js';
import { type KeyEvent, keyEvents } from '../domain/key.events.js';

/** Every API key by its hash, as its own fold has it. */
export const keyDirectory: Projection<KeyEvent> = {
  name: 'key-directory',
  version: 1,
  events: keyEvents,
  collections: { keys: { indexes: {} } },
  touches,
  evolve,
};

function touches(event: Recorded<KeyEvent>): DocumentRef[] {
  return [{ collection: 'keys', key: event.data.hash }];
}

function evolve(lookup: Lookup, event: Recorded<KeyEvent>): Change[] {
  const { hash } = event.data;
  const before = (lookup('keys', hash) as Key | undefined) ?? null;
  const after = key.evolve(before, event);
  return after ? [{ collection: 'keys', key: hash, document: { ...after } }] : [];
}
