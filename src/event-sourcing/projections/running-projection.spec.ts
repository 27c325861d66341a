import { describe, expect, it } from '@jest/globals';
import { tallies } from '../../../test/support/specs/tally.js';
import { Unavailable } from '../../kernel/errors.js';
import { RunningProjection } from './running-projection.js';
import { newStanding, type ProjectionNews, type ProjectionState } from './standing.js';
import { StalledError } from './stall-watch.js';
import { carried, restored } from './thread/carried-error.js';

describe('the news of a projection', () => {
  /** Reports states with their faults, one after the other, and gives the kinds of the news. */
  function newsOf(states: readonly (readonly [ProjectionState, unknown])[]): string[] {
    const news: string[] = [];
    const running = new RunningProjection(
      tallies,
      () => {
        throw new Error('no generation serves');
      },
      ({ kind }: ProjectionNews) => news.push(kind),
      { waiting: () => undefined, damaged: () => undefined },
    );
    for (const [state, fault] of states)
      running.follow({ ...newStanding(tallies.name, state), fault });
    return news;
  }

  /** A fault of the event log, as the folding thread reports it. Its words differ from attempt to attempt. */
  function awayFor(ms: number): Error {
    const fault = new Unavailable('event log', new Error(`no answer within ${ms} ms`));
    return restored(structuredClone(carried(fault)));
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
