import { ACTIONS, actionsOn } from '../domain/descriptions.js';
import { type Action, type TargetType, targetTypeOf } from '../domain/audit-event.js';
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

/** A range of an index: the documents with the values `equals` and one of the actions `anyOf`, in order of events. */
export interface IndexRun {
  readonly index: string;
  readonly equals: Readonly<Record<string, string>>;
  readonly anyOf: readonly Action[];
}

/** The plan of a query. The runs contain all matching events, and other events only if no index fits the filter. */
export interface Plan {
  readonly runs: readonly IndexRun[];
  readonly matches: (event: EventDocument) => boolean;
  /** The lower bound of the order of the events, included. */
  readonly from: string | undefined;
  /** The upper bound of the order of the events, excluded. */
  readonly before: string | undefined;
}

/** Chooses the index runs for a filter. Events outside of the runs are never read, however many the account has. */
export function planOf(accountId: string, filter: EventFilter): Plan {
  const { actor, target, from, to: before } = filter;
  const of = { account: accountId };
  const plan = {
    from,
    before,
    matches: (event: EventDocument) =>
      actor === undefined || event.actor === actor || event.user === actor,
  };
  const anyOf = wantedActions(filter);
  if (target?.id !== undefined) {
    const equals = { target: target.id, ...of };
    return { ...plan, runs: [{ index: 'by_target', equals, anyOf }] };
  }
  if (actor !== undefined) {
    const runs = [
      { index: 'by_actor', equals: { actor, ...of }, anyOf },
      { index: 'by_user', equals: { user: actor, ...of }, anyOf },
    ];
    return { ...plan, runs };
  }
  return { ...plan, runs: [{ index: 'by_action', equals: of, anyOf }] };
}

function wantedActions({ actions, target }: EventFilter): readonly Action[] {
  if (!actions) return target ? actionsOn(target.type) : ACTIONS;
  const wanted = [...new Set(actions)];
  return target ? wanted.filter((action) => targetTypeOf(action) === target.type) : wanted;
}
