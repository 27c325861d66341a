import { afterAll, describe, expect, it } from '@jest/globals';
import { drivenByHand } from '../../../test/support/specs/read-models-here.js';
import { TALLIES } from '../../../test/support/specs/replicas.js';
import { SqliteReadStore } from '../read-store/sqlite/sqlite-read-store.js';
import { Unavailable } from '../../kernel/errors.js';
import type { ReadSideNotice } from './read-side-notices.js';
import type { ReadSidePhase } from './read-side-state.js';
import { StalledError } from './watched-subscription.js';
import { carriedError, errorFrom } from './thread/carried-error.js';

const LOG = { head: async () => '1' };
const STORE = new SqliteReadStore(':memory:');
const SERVING = STORE.namespace('tallies', TALLIES.collections);

afterAll(async () => {
  await STORE.close();
});

describe('read models whose folding thread ended', () => {
  it('are read as they are, until the next thread knows more', async () => {
    const { models, report } = drivenByHand(TALLIES, { open: () => SERVING, log: LOG });
    await SERVING.write('', '1', []);
    report({ generation: 1, position: '1', phase: 'live' });
    report({ phase: 'stuck', fault: new Error('its thread ended') });
    report({ phase: 'catching-up' });
    expect(await models.read(async (view) => view.checkpoint)).toBe('1');
    report({ phase: 'live', fault: null });
    report({ generation: null, position: '' });
    await expect(models.read(async () => 1)).rejects.toBeInstanceOf(Unavailable);
  });
});

describe('the news of a read side', () => {
  /** Reports states with their faults, one after the other, and gives the kinds of the news. */
  function newsOf(states: readonly (readonly [ReadSidePhase, unknown])[]): string[] {
    const news: string[] = [];
    const notify = ({ kind }: ReadSideNotice): unknown => news.push(kind);
    const { report } = drivenByHand(TALLIES, { open: () => SERVING, log: LOG, notify });
    for (const [phase, fault] of states) report({ phase, fault });
    return news;
  }

  /** A fault of the event log as the folding thread reports it, in other words each time. */
  function awayFor(ms: number): Error {
    const fault = new Unavailable('event log', new Error(`no answer within ${ms} ms`));
    return errorFrom(structuredClone(carriedError(fault)));
  }

  it('are told once while a part is away, and again after it was there', () => {
    expect(
      newsOf([
        ['stuck', awayFor(277)],
        ['stuck', awayFor(1_939)],
        ['catching-up', null],
        ['stuck', awayFor(3_000)],
        ['live', null],
        ['stuck', awayFor(12)],
      ]),
    ).toEqual(['stuck', 'goes-on', 'stuck']);
  });

  it('are told once for a stall, however far the log goes on meanwhile', () => {
    const stalls = ['2', '3'].map((head) => ['stalled', new StalledError('1', head)] as const);
    expect(newsOf(stalls)).toEqual(['stalled']);
  });

  it('are told for each other fault that follows', () => {
    expect(
      newsOf([
        ['stuck', awayFor(1)],
        ['stuck', new Unavailable('read store', 'its disk is full')],
        ['stuck', new Error('broken')],
        ['stuck', new Error('broken')],
      ]),
    ).toEqual(['stuck', 'stuck', 'stuck']);
  });
});
