import { isEventMetadata } from '../kernel/metadata.js';
import type { RecordedEvent } from './event-log.js';

/** Whether an event is the last event of its append; undefined if its metadata do not tell, as in earlier releases. */
export function endsAppend({ metadata }: RecordedEvent): boolean | undefined {
  if (!isEventMetadata(metadata) || metadata.hash === undefined) return undefined;
  return metadata.more_in_append === undefined;
}

/** Whether `later` belongs to the same append as `event`. Other events may be between the two. */
export function areOfOneAppend(event: RecordedEvent, later: RecordedEvent): boolean {
  if (event.stream !== later.stream || !isEventMetadata(event.metadata)) return false;
  const { hash, more_in_append: more = 0, causation_id } = event.metadata;
  if (hash !== undefined) return later.revision <= event.revision + more;
  return isEventMetadata(later.metadata) && causation_id === later.metadata.causation_id;
}
