import { describe, expect, it } from '@jest/globals';
import { z } from 'zod';
import { metadataAt } from '../../../test/support/specs/metadata-at.js';
import { defineEvent, nextVersionOf } from '../../kernel/event.js';
import type { EventMetadata } from '../../kernel/metadata.js';
import type { RecordedEvent } from './event-log.js';
import { EventRegistry, UnreadableEventError } from './event-registry.js';

const paintedV1 = defineEvent('Painted', z.object({ red: z.boolean() }));
const paintedV2 = nextVersionOf(
  paintedV1,
  z.object({ colour: z.string(), by: z.string() }),
  ({ data, metadata }) => ({ colour: data.red ? 'red' : 'white', by: metadata.actor.id }),
);
const painted = nextVersionOf(
  paintedV2,
  z.object({ colours: z.array(z.string()).min(1), by: z.string() }),
  ({ data: { colour, by } }) => ({ colours: [colour], by }),
);
const RED = { colours: ['red'], by: 'ada' };
const registry = new EventRegistry([painted]);

const recorded = (changes: Partial<RecordedEvent>): RecordedEvent => ({
  id: 'id',
  position: '1',
  stream: 'painted-1',
  revision: 0,
  type: 'Painted',
  version: 3,
  data: RED,
  metadata: metadataAt(0),
  ...changes,
});

describe('the event registry', () => {
  it('stores an event under its name and current version', () => {
    expect(registry.encode({ type: 'Painted', data: RED })).toEqual({
      type: 'Painted',
      version: 3,
      data: RED,
    });
  });

  it('stores nothing that could not be read back', () => {
    expect(() => registry.encode({ type: 'Painted', data: { red: true } })).toThrow(
      /^event Painted version \d cannot be written: \w+: .*expected/,
    );
    expect(() => registry.encode({ type: 'Unheard', data: {} })).toThrow('not registered');
  });

  it('reads what it stored', () => {
    expect(registry.decode(recorded({}))).toMatchObject({
      type: 'Painted',
      data: RED,
      position: '1',
    });
  });

  it.each([
    [1, { red: true }, { colours: ['red'], by: 'test' }],
    [1, { red: false }, { colours: ['white'], by: 'test' }],
    [2, { colour: 'blue', by: 'bob' }, { colours: ['blue'], by: 'bob' }],
    [3, { colours: ['blue', 'red'], by: 'bob' }, { colours: ['blue', 'red'], by: 'bob' }],
  ])('reads version %d, %j, in the current version', (version, data, current) => {
    expect(registry.decode(recorded({ version, data }))?.data).toEqual(current);
  });

  it('shows an upcaster the event it carries on, without what its schema does not name', () => {
    const seen: unknown[] = [];
    const watched = nextVersionOf(paintedV1, z.object({}), (event) => {
      seen.push(event);
      return {};
    });
    const {
      version: _,
      stream,
      revision,
      ...event
    } = recorded({ id: 'id-1', version: 1, data: { red: true } });
    new EventRegistry([watched]).decode({
      ...event,
      stream,
      revision,
      version: 1,
      data: { red: true, unnamed: 1 },
    });
    expect(seen).toEqual([event]);
  });

  it('asks no upcaster about an event in the current version', () => {
    const untouched = nextVersionOf(paintedV1, z.object({}), () => {
      throw new Error('asked');
    });
    const decoded = new EventRegistry([untouched]).decode(recorded({ version: 2, data: {} }));
    expect(decoded?.data).toEqual({});
  });

  it('passes over types it does not know, where the whole log is folded', () => {
    expect(registry.decode(recorded({ type: 'Unheard' }))).toBeNull();
  });

  it('lets no decision pass over a type it does not know', () => {
    const unheard = recorded({ type: 'Unheard' });
    const read = (): unknown => registry.decodeForDecision(unheard);
    expect(read).toThrow(UnreadableEventError);
    expect(read).toThrow('its type is not known to this build');
  });

  it.each([
    ['does not fit its schema', { data: { colours: [] } }, 'colours'],
    ['does not fit the schema of an earlier version', { version: 1, data: RED }, 'red'],
    ['has a version later than the current one', { version: 4 }, 'version is not known'],
    ['has a version that never was', { version: 0 }, 'version is not known'],
    ['has data that are no JSON', { data: '{"colours"' }, 'expected object'],
  ])('names an event that %s', (_, changes, why) => {
    const unreadable = recorded({ id: 'the-bad-one', position: '42', ...changes });
    const read = (): unknown => registry.decode(unreadable);
    expect(read).toThrow(UnreadableEventError);
    expect(read).toThrow(/the-bad-one \(Painted version \d\) in stream painted-1 at position 42/);
    expect(read).toThrow(why);
    expect(read).toThrow(/^.*$/);
  });

  it.each([
    ['none', null],
    ['text that is no JSON', '{"actor"'],
    ['no time', { ...metadataAt(0), occurred_at: undefined }],
    ['no account', { ...metadataAt(0), account_id: null }],
    ['no cause', { ...metadataAt(0), causation_id: 7 }],
    ['nobody who did it', { ...metadataAt(0), actor: null }],
    ['somebody unheard of', { ...metadataAt(0), actor: { type: 'ghost', id: 'x' } }],
    ['somebody without an id', { ...metadataAt(0), actor: { type: 'operator' } }],
  ])('names an event whose metadata say: %s', (_, metadata) => {
    const unreadable = recorded({ metadata: metadata as EventMetadata });
    expect(() => registry.decode(unreadable)).toThrow(UnreadableEventError);
    expect(() => registry.decode(unreadable)).toThrow('its metadata lack a valid');
  });

  it('names the upcaster whose data does not fit the version after, and the event', () => {
    const blank = z.object({ colours: z.array(z.string()).min(1) });
    const broken = new EventRegistry([nextVersionOf(paintedV2, blank, () => ({ colours: [] }))]);
    for (const stored of [
      { version: 1, data: { red: true } },
      { version: 2, data: { colour: 'blue', by: 'bob' } },
    ]) {
      const read = (): unknown => broken.decode(recorded(stored));
      expect(read).toThrow(UnreadableEventError);
      expect(read).toThrow('its upcaster to version 3 failed');
      expect(read).toThrow(`Painted version ${stored.version}`);
    }
  });

  it('names the upcaster that throws, and it alone, when others come after it', () => {
    const throwing = nextVersionOf(paintedV1, z.object({ a: z.string() }), () => {
      throw new Error('lost for colours');
    });
    const after = nextVersionOf(throwing, z.object({ b: z.string() }), ({ data }) => ({
      b: data.a,
    }));
    const read = (): unknown =>
      new EventRegistry([after]).decode(recorded({ version: 1, data: { red: true } }));
    expect(read).toThrow('cannot be read: its upcaster to version 2 failed: lost for colours');
  });

  it('takes no name twice', () => {
    expect(() => new EventRegistry([painted, painted])).toThrow('registered twice');
    expect(() => new EventRegistry([paintedV1, painted])).toThrow('registered twice');
  });
});
