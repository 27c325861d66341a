import { isEventMetadata } from '../kernel/metadata.js';
import type { RecordedEvent } from './event-log.js';

/** Whether an event is the last of its append; undefined when an earlier release wrote it and did not record that. */
export function endsAppend({ metadata }: RecordedEvent): boolean | undefined {
  if (!isEventMetadata(metadata) || metadata.hash === undefined) return undefined;
  return metadata.more_in_append === undefined;
}

/** Whether a later event, not necessarily the next one, belongs to the same append. */
export function areOfOneAppend(event: RecordedEvent, later: RecordedEvent): boolean {
  if (event.stream !== later.stream || !isEventMetadata(event.metadata)) return false;
  const { hash, more_in_append: more = 0, causation_id } = event.metadata;
  if (hash !== undefined) return later.revision <= event.revision + more;
  return isEventMetadata(later.metadata) && causation_id === later.metadata.causation_id;
}
