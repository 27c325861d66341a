import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { metadataAt } from '../../test/specs/metadata-at.js';
import { defineEvent } from '../kernel/event.js';
import type { RecordedEvent } from './event-log.js';
import { EventRegistry, UnreadableEventError } from './event-registry.js';

const painted = defineEvent('Painted', 2, z.object({ colour: z.string() }));
const registry = new EventRegistry([painted]);

const recorded = (changes: Partial<RecordedEvent>): RecordedEvent => ({
  id: 'id',
  stream: 'wall',
  revision: 0,
  position: '1',
  type: 'Painted',
  version: 2,
  data: { colour: 'red' },
  metadata: metadataAt(0),
  ...changes,
});

describe('the event registry', () => {
  it('stores an event under its name and version', () => {
    expect(registry.encode({ type: 'Painted', data: { colour: 'red' } })).toEqual({
      type: 'Painted',
      version: 2,
      data: { colour: 'red' },
    });
  });

  it('stores nothing that could not be read back', () => {
    expect(() => registry.encode({ type: 'Painted', data: { colour: 5 } })).toThrow();
    expect(() => registry.encode({ type: 'Unheard', data: {} })).toThrow('not registered');
  });

  it('reads what it stored', () => {
    expect(registry.decode(recorded({}))).toMatchObject({
      type: 'Painted',
      data: { colour: 'red' },
      position: '1',
    });
  });

  it('passes over types it does not know', () => {
    expect(registry.decode(recorded({ type: 'Unheard' }))).toBeNull();
  });

  it.each([
    ['does not fit its schema', { data: { colour: 5 } }],
    ['has a version it does not know', { version: 3 }],
  ])('names an event that %s', (_, changes) => {
    const unreadable = recorded({ id: 'the-bad-one', position: '42', ...changes });
    const read = (): unknown => registry.decode(unreadable);
    expect(read).toThrow(UnreadableEventError);
    expect(read).toThrow(/the-bad-one \(Painted version \d\) at position 42/);
  });

  it('takes no name twice', () => {
    expect(() => new EventRegistry([painted, painted])).toThrow('registered twice');
  });
});
