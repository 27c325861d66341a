import { ACTIONS, actionsOn } from '../domain/descriptions.js';
import { type Action, type TargetType, targetTypeOf } from '../domain/description.js';
import { orderAt } from '../domain/order.js';
import type { EventDocument } from './audit-trail.projection.js';

/** Which events of an account are wanted: those that match everything that is given. */
export interface EventFilter {
  /** Any of them. */
  readonly actions?: readonly Action[] | undefined;
  /** A user, or the hash of a management key. */
  readonly actor?: string | undefined;
  readonly target?: { readonly type: TargetType; readonly id?: string | undefined } | undefined;
  /** ISO 8601 UTC, included. */
  readonly from?: string | undefined;
  /** ISO 8601 UTC, excluded. */
  readonly to?: string | undefined;
}

/** A run of the documents that stand in an index under the same values with any of some actions, in their order. */
export interface IndexRun {
  readonly index: string;
  readonly equals: Readonly<Record<string, string>>;
  readonly anyOf: readonly Action[];
}

/** How a filter is answered: together the runs hold what matches, and little else unless `matches` is needed. */
export interface Plan {
  readonly runs: readonly IndexRun[];
  /** Absent when everything in the runs matches. */
  readonly matches?: (event: EventDocument) => boolean;
  /** The order from which on events are wanted. */
  readonly from: string;
  /** The order before which events are wanted; undefined for no end. */
  readonly to: string | undefined;
}

/** Chooses the runs for a filter. No event outside of the runs is ever read, however many there are. */
export function planOf(accountId: string, filter: EventFilter): Plan {
  const { actor, target, from, to } = filter;
  const of = { account: accountId };
  const bounds = { from: from === undefined ? '' : orderAt(from), to: to && orderAt(to) };
  const anyOf = wantedActions(filter);
  if (target?.id !== undefined) {
    const equals = { target: target.id, ...of };
    const runs = [{ index: 'by_target', equals, anyOf }];
    return { runs, ...bounds, ...(actor !== undefined && { matches: doneBy(actor) }) };
  }
  if (actor !== undefined) {
    const runs = [
      { index: 'by_actor', equals: { actor, ...of }, anyOf },
      { index: 'by_user', equals: { user: actor, ...of }, anyOf },
    ];
    return { runs, ...bounds };
  }
  return { runs: [{ index: 'by_action', equals: of, anyOf }], ...bounds };
}

function wantedActions({ actions, target }: EventFilter): readonly Action[] {
  if (!actions) return target ? actionsOn(target.type) : ACTIONS;
  const wanted = [...new Set(actions)];
  return target ? wanted.filter((action) => targetTypeOf(action) === target.type) : wanted;
}

function doneBy(actor: string): (event: EventDocument) => boolean {
  return (event) => event.actor === actor || event.user === actor;
}
