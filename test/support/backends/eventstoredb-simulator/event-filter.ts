import type { ReadReq } from '@eventstore/db-client/generated/streams_pb.js';
import type { StoredEvent } from './stored-event.js';

const DEFAULT_SEARCH_WINDOW = 32;

/** The events that a subscription wants, and the number of considered events between two checkpoints. */
export interface EventFilter {
  readonly matches: (event: StoredEvent) => boolean;
  readonly checkpointEvery: number;
}

export function eventFilter(options: ReadReq.Options.FilterOptions): EventFilter {
  const window = options.hasMax() ? options.getMax() : DEFAULT_SEARCH_WINDOW;
  const checkpointEvery = window * options.getCheckpointintervalmultiplier();
  const byStream = options.getStreamIdentifier();
  if (byStream !== undefined) {
    const wanted = expression(byStream);
    return { checkpointEvery, matches: ({ stream }) => wanted(stream) };
  }
  const byType = options.getEventType();
  const wanted = byType === undefined ? () => true : expression(byType);
  return { checkpointEvery, matches: ({ type }) => wanted(type) };
}

function expression(wanted: ReadReq.Options.FilterOptions.Expression): (text: string) => boolean {
  const prefixes = wanted.getPrefixList();
  if (prefixes.length > 0) return (text) => prefixes.some((prefix) => text.startsWith(prefix));
  const regex = new RegExp(wanted.getRegex());
  return (text) => regex.test(text);
}
