import type { RecordedEvent } from '../event-log.js';
import { type ReceivedEvent, recorded } from './records.js';

/** Anything else makes errors that speak of the name unreadable, or means something to the server. */
const STREAM_NAME = /^[\x21-\x7e]{1,256}$/;

/** The streams of one installation among those of others on the same server: their names begin with a prefix of its own. */
export class OwnStreams {
  /** The server's categories are those of our names, with it. */
  readonly prefix: string;

  /** @param name of the installation; a full stop ends it, so that no name is the beginning of another. */
  constructor(name: string) {
    this.prefix = `${name}.`;
  }

  /** What a stream is called on the server. @throws for a name the server could misunderstand. */
  onServer(stream: string): string {
    if (!STREAM_NAME.test(stream)) throw new Error('a stream name takes printable ASCII only');
    return this.prefix + stream;
  }

  /** Whether it is an event of this installation, and not what the server or another service wrote. */
  isOurs({ streamId, type }: ReceivedEvent): boolean {
    return streamId.startsWith(this.prefix) && !type.startsWith('$');
  }

  /** An event of ours as the port has it. */
  recorded(event: ReceivedEvent): RecordedEvent {
    return recorded(event, event.streamId.slice(this.prefix.length));
  }
}
