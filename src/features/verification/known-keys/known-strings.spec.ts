import { beforeEach, describe, expect, it } from '@jest/globals';
import { keyCreated } from '../../../../test/support/histories/keys.js';
import { knownKeys } from '../../../../test/support/specs/known-keys.js';
import { metadataAt } from '../../../../test/support/specs/metadata-at.js';
import type { RecordedEvent } from '../../../event-sourcing/event-log/event-log.js';
import { evolveKey, type Key, keyStream } from '../../keys/domain/key.js';
import type { KeyString } from '../../keys/domain/key-strings.js';
import { type KnownKey, type KnownKeys } from './known-keys.js';

const SINCE = '2026-01-01T00:00:00.000Z';
const string = (hash: string, ends_at: string | null = null): KeyString => ({
  hash,
  created_at: SINCE,
  ends_at,
});

function known(...strings: readonly KeyString[]): KnownKey {
  const created = { ...keyCreated({ hash: 'first' }), metadata: metadataAt(0) };
  const key = evolveKey(null, created) as Key;
  return {
    kind: 'api',
    key: strings.length === 0 ? key : { ...key, strings },
    accountKind: 'organization',
    defaultWorkspaceId: 'home',
    cursorSecret: 'secret',
    budgets: null,
    epoch: 0,
  };
}

function happened(type: string, data: object): RecordedEvent {
  const place = { position: '1', revision: 0, stream: keyStream('first') };
  return { id: type, type, version: 1, data, metadata: metadataAt(0), ...place };
}

describe('a later string in memory', () => {
  let memory: KnownKeys;

  beforeEach(() => {
    memory = knownKeys();
    keep('first', known(string('first', SINCE), string('later')));
    keep('later', { kind: 'string', keyHash: 'first', isSettled: false });
    keep('coming', { kind: 'string', keyHash: 'first', isSettled: false });
  });

  function keep(hash: string, found: Parameters<KnownKeys['end']>[1]): void {
    memory.end(memory.begin(hash), found);
  }

  it('is a pointer to its key, and no second key', () => {
    expect(memory.get('later')).toBe(memory.get('first'));
    expect(memory.peek('coming')).toBe(memory.get('first'));
  });

  it('that the key does not list is looked up each time, as it may be about to be added', () => {
    expect(memory.get('coming')).toBeUndefined();
    expect(memory.keyOfString('coming')).toBe('first');
  });

  it('that was live once has ended for good when the key no longer lists it', () => {
    expect(memory.get('later')).toBeDefined();
    memory.apply(happened('ApiKeyStringAdded', { hash: 'first', string_hash: 'new' }));
    expect(memory.get('later')).toBeUndefined();
    keep('first', known(string('new')));
    expect(memory.get('later')).toBe(memory.get('first'));
  });

  it('whose end was read has ended for good, also if memory did not have it', () => {
    for (const ended of ['coming', 'unheard-of']) {
      memory.apply(happened('ApiKeyStringEnded', { hash: 'first', string_hash: ended }));
      keep('first', known(string('new')));
      expect(memory.get(ended)).toBe(memory.get('first'));
    }
  });

  it('leaves the first string to the key when that one ends', () => {
    memory.apply(happened('ApiKeyStringEnded', { hash: 'first', string_hash: 'first' }));
    expect(memory.get('first')).toBeUndefined();
    keep('first', known(string('new')));
    expect(memory.get('first')).toMatchObject({ kind: 'api' });
  });

  it('stays a pointer when its key is forgotten', () => {
    memory.apply(happened('ApiKeyRenamed', { hash: 'first' }));
    expect(memory.get('later')).toBeUndefined();
    expect(memory.keyOfString('later')).toBe('first');
    memory.forgetAll();
    expect(memory.keyOfString('later')).toBeUndefined();
  });
});
