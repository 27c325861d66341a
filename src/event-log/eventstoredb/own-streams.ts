import type { RecordedEvent } from '../event-log.js';
import { type ReceivedEvent, recorded } from './records.js';

/** Other names make errors unreadable that contain them, or mean something to the server. */
const STREAM_NAME = /^[\x21-\x7e]{1,256}$/;

/** The streams of one installation on a server that may serve others: their names begin with its prefix. */
export class OwnStreams {
  /** With it, the server's categories are those of our names. */
  readonly prefix: string;

  /** @param name of the installation; a full stop ends it, so that no name is the beginning of another. */
  constructor(name: string) {
    this.prefix = `${name}.`;
  }

  /** The name of a stream on the server. @throws for a name that the server could misunderstand. */
  onServer(stream: string): string {
    if (!STREAM_NAME.test(stream)) throw new Error('a stream name takes printable ASCII only');
    return this.prefix + stream;
  }

  /** Whether an event is of this installation, and not of the server or another service. */
  isOurs({ streamId, type }: ReceivedEvent): boolean {
    return streamId.startsWith(this.prefix) && !type.startsWith('$');
  }

  /** An event of ours as the port has it. */
  recorded(event: ReceivedEvent): RecordedEvent {
    return recorded(event, event.streamId.slice(this.prefix.length));
  }
}
