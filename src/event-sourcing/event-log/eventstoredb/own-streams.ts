import type { RecordedEvent } from '../event-log.js';
import { type ReceivedEvent, recorded } from './records.js';

/** The allowed stream names. Other names make error messages unreadable, or have a special meaning to the server. */
const STREAM_NAME = /^[\x21-\x7e]{1,256}$/;

/** The streams of one installation. Their names begin with a prefix, because other services may use the server too. */
export class OwnStreams {
  /** The prefix of our stream names. It has no dash, so that the server still groups our streams by category. */
  readonly prefix: string;

  /** @param name the installation's name. The prefix adds a full stop, so that no prefix begins another prefix. */
  constructor(name: string) {
    this.prefix = `${name}.`;
  }

  /** Returns the name of a stream on the server. @throws for a name that the server could misunderstand. */
  onServer(stream: string): string {
    if (!STREAM_NAME.test(stream)) throw new Error('a stream name takes printable ASCII only');
    return this.prefix + stream;
  }

  /** Whether an event belongs to this installation, and not to the server or another service. */
  isOurs({ streamId, type }: ReceivedEvent): boolean {
    return streamId.startsWith(this.prefix) && !type.startsWith('$');
  }

  /** Returns one of our events in the form of the event log's port. */
  recorded(event: ReceivedEvent): RecordedEvent {
    return recorded(event, event.streamId.slice(this.prefix.length));
  }
}
