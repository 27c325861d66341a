import { expect } from '@jest/globals';
import type { Foldable } from '../../../src/kernel/aggregate.js';
import { Refusal } from '../../../src/kernel/errors.js';
import type { RefusalCode } from '../../../src/kernel/refusals.js';
import type { DomainEvent, Happened } from '../../../src/kernel/event.js';
import { metadataAt } from './metadata-at.js';

/**
 * Tests a decision: after given events, a decision leads to events or a refusal. The first event is
 * at 2026-01-01T00:00:00Z, and each later one an hour after the one before.
 */
export function given<State, Event extends DomainEvent>(
  foldable: Foldable<State, Event>,
  ...history: readonly Event[]
): { readonly state: State; when(decide: (state: State) => readonly Event[]): Outcome<Event> } {
  const state = history.reduce((before, event, hour) => {
    const happened: Happened<Event> = { ...event, metadata: metadataAt(hour) };
    return foldable.evolve(before, happened);
  }, foldable.initial);
  return { state, when: (decide) => outcomeOf(() => decide(state)) };
}

interface Outcome<Event> {
  then(...expected: readonly Event[]): void;
  thenNothing(): void;
  thenRefused(code: RefusalCode, details?: unknown): void;
}

function outcomeOf<Event>(decide: () => readonly Event[]): Outcome<Event> {
  return {
    then: (...expected) => expect(decide()).toEqual(expected),
    thenNothing: () => expect(decide()).toEqual([]),
    thenRefused(code, details) {
      const refusal = thrownBy(decide);
      expect(refusal).toBeInstanceOf(Refusal);
      expect(refusal).toMatchObject(details === undefined ? { code } : { code, details });
    },
  };
}

function thrownBy(work: () => unknown): unknown {
  try {
    work();
  } catch (error) {
    return error;
  }
  return undefined;
}
