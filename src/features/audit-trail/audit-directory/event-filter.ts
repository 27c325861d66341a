import { ACTIONS, actionsOn } from '../domain/descriptions.js';
import { type Action, type TargetType, targetTypeOf } from '../domain/audit-event.js';
import { orderAt } from '../domain/order.js';
import type { EventDocument } from './audit-trail.projection.js';

/** A filter for the events of an account. An event must match every field that is present. */
export interface EventFilter {
  readonly actions?: readonly Action[] | undefined;
  /** The id of a user, the hash of a management key, or the name of an operator. */
  readonly actor?: string | undefined;
  readonly target?: { readonly type: TargetType; readonly id?: string | undefined } | undefined;
  /** The time from which events match, included, in ISO 8601 UTC. */
  readonly from?: string | undefined;
  /** The time until which events match, excluded, in ISO 8601 UTC. */
  readonly to?: string | undefined;
}

/** Documents of an index with the values `equals`, then one of `anyOf`, in order of events. */
export interface IndexRun {
  readonly index: string;
  readonly equals: Readonly<Record<string, string>>;
  readonly anyOf: readonly Action[];
}

/** The plan of a query. Its runs have all matching events, and others only if no index fits. */
export interface Plan {
  readonly runs: readonly IndexRun[];
  readonly matches: (event: EventDocument) => boolean;
  /** The lower bound of the order of the events, included. */
  readonly from: string | undefined;
  /** The upper bound of the order of the events, excluded. */
  readonly before: string | undefined;
}

/** Chooses the index runs for a filter. Other events are never read, however many there are. */
export function planOf(accountId: string, filter: EventFilter): Plan {
  const { actor, target, from, to } = filter;
  const actions = wantedActions(filter);
  const run = (index: string, fields: Readonly<Record<string, string>> = {}): IndexRun => ({
    index,
    equals: { account: accountId, ...fields },
    anyOf: actions,
  });
  const runs = (): IndexRun[] => {
    if (target?.id !== undefined) return [run('by_target', { target: target.id })];
    if (actor !== undefined) return [run('by_actor', { actor }), run('by_user', { user: actor })];
    return [run('by_action')];
  };
  return {
    from: from && orderAt(from),
    before: to && orderAt(to),
    runs: runs(),
    matches: (event) =>
      actions.includes(event.action) &&
      (target?.id === undefined || event.target === target.id) &&
      (actor === undefined || event.actor === actor || event.user === actor),
  };
}

function wantedActions({ actions, target }: EventFilter): readonly Action[] {
  if (!actions) return target ? actionsOn(target.type) : ACTIONS;
  const wanted = [...new Set(actions)];
  return target ? wanted.filter((action) => targetTypeOf(action) === target.type) : wanted;
}
