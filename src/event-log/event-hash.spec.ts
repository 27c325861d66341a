import { createHash } from 'node:crypto';
import { describe, expect, it } from '@jest/globals';
import canonicalize from 'canonicalize';
import fc from 'fast-check';
import { metadataAt } from '../../test/specs/metadata-at.js';
import { checkHash, sealed } from './event-hash.js';
import type { RecordedEvent, StoredEvent } from './event-log.js';

const stored: StoredEvent = {
  id: '3b241101-e2bb-4255-8caf-4136c566a962',
  type: 'Painted',
  version: 1,
  data: { colours: ['red', 'ü😀'], amount: 0.1, none: null },
  metadata: metadataAt(0),
};

function recorded(event: StoredEvent | undefined, revision = 0): RecordedEvent {
  if (!event) throw new Error('there is no event');
  return { ...event, stream: 'painted-1', revision, position: '1' };
}

describe('the hash of an event', () => {
  it('is that of the form of RFC 8785, and so stays', () => {
    const [event] = sealed('painted-1', [stored], 'no-stream');
    // The hash was computed once with another implementation.
    expect(event?.metadata.hash).toBe(
      'ad5410a0f3a6801d019642aa9054cd1362b18e258e58bd85e4a582b0e278e868',
    );
  });

  it('is that of the form of RFC 8785 for any data', () => {
    const strings = [
      fc.string({ unit: 'grapheme' }),
      fc.string({ unit: 'binary' }).filter((text) => text.isWellFormed()),
      fc.nat().map(String),
      fc.constantFrom('__proto__', 'toJSON', '10', '9', '\u2028', '\u0000', '\u{1f511}', '\uffff'),
    ] as const;
    const { value } = fc.letrec<{ value: unknown }>((tie) => ({
      value: fc.oneof(
        { maxDepth: 4 },
        ...strings,
        ...[fc.double({ noNaN: true, noDefaultInfinity: true }), fc.integer(), fc.boolean()],
        fc.constant(null),
        fc.array(tie('value'), { maxLength: 5 }),
        fc.dictionary(fc.oneof(...strings), tie('value'), { maxKeys: 20 }),
      ),
    }));
    fc.assert(
      fc.property(value, (any) => {
        const data: unknown = JSON.parse(JSON.stringify(any));
        const [event] = sealed('painted-1', [{ ...stored, data }], 'no-stream');
        const { id, type, version, metadata } = stored;
        const form = { id, stream: 'painted-1', revision: 0, type, version, data, metadata };
        const hash = createHash('sha256')
          .update(canonicalize(form) ?? '')
          .digest('hex');
        expect(event?.metadata.hash).toBe(hash);
      }),
    );
  });

  it('does not depend on the order of fields', () => {
    const [event] = sealed('painted-1', [stored], 'no-stream');
    const { metadata, data, ...rest } = recorded(event);
    const { actor, ...others } = metadata;
    expect(
      checkHash({
        data: { none: null, ...(data as object) },
        ...rest,
        metadata: { ...others, actor },
      }),
    ).toBe('right');
  });

  it('says nothing of an event that has none', () => {
    expect(checkHash(recorded(stored))).toBe('absent');
  });

  it.each<Partial<RecordedEvent>>([
    { id: '3b241101-e2bb-4255-8caf-4136c566a963' },
    { stream: 'painted-2' },
    { revision: 1 },
    { type: 'Printed' },
    { version: 2 },
    { data: { colours: ['red', 'ü😀'], amount: 0.1 } },
  ])('does not match where an event is other: %j', (change) => {
    const [event] = sealed('painted-1', [stored], 'no-stream');
    expect(checkHash({ ...recorded(event), ...change })).toBe('wrong');
  });

  it('covers every field of the metadata, also those that are not known yet', () => {
    const [event] = sealed('painted-1', [stored], 'no-stream');
    const one = recorded(event);
    for (const field of Object.keys(one.metadata).filter((name) => name !== 'hash')) {
      expect(checkHash({ ...one, metadata: { ...one.metadata, [field]: 'x' } })).toBe('wrong');
    }
    expect(checkHash({ ...one, metadata: Object.assign({ more: 1 }, one.metadata) })).toBe('wrong');
  });

  it('counts revisions, and the events of an append that follow, which it covers too', () => {
    const events = sealed('painted-1', [stored, stored, stored], 4);
    expect(events.map(({ metadata }) => metadata.more_in_append)).toEqual([2, 1, undefined]);
    expect(events.map((event, index) => checkHash(recorded(event, 5 + index)))).toEqual([
      'right',
      'right',
      'right',
    ]);
  });
});
