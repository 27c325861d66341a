import {
  closeSync,
  fdatasyncSync,
  ftruncateSync,
  openSync,
  readFileSync,
  writeSync,
} from 'node:fs';

const HEADER = Buffer.from('simulog\n');
const LENGTH_BYTES = 4;

/**
 * The log on disk. The record of an append has its length at both ends, and events that each follow
 * their own length. So the length shows a record that a kill cut off.
 */
export class LogFile {
  private constructor(
    private readonly descriptor: number,
    private size: number,
  ) {}

  /** Opens or creates the file, and cuts off an incomplete last record. */
  static open(path: string): { readonly file: LogFile; readonly events: Buffer[] } {
    const descriptor = openSync(path, 'a+');
    const content = readFileSync(descriptor);
    const file = new LogFile(descriptor, HEADER.length);
    if (content.length < HEADER.length) {
      ftruncateSync(descriptor, 0);
      writeSync(descriptor, HEADER);
      fdatasyncSync(descriptor);
      return { file, events: [] };
    }
    const events: Buffer[] = [];
    for (let record = recordAt(content, file.size); record !== undefined;) {
      events.push(...eventsOf(record));
      file.size += record.length + 2 * LENGTH_BYTES;
      record = recordAt(content, file.size);
    }
    ftruncateSync(descriptor, file.size);
    return { file, events };
  }

  get end(): number {
    return this.size;
  }

  /** The record is durable when the function returns. */
  append(records: readonly Buffer[]): void {
    const bytes = Buffer.concat(records);
    for (let written = 0; written < bytes.length;) {
      written += writeSync(this.descriptor, bytes, written);
    }
    fdatasyncSync(this.descriptor);
    this.size += bytes.length;
  }

  close(): void {
    closeSync(this.descriptor);
  }
}

/** Makes the record of one append. The events need to know their place in the file. */
export class RecordBuilder {
  private readonly parts: Buffer[] = [];
  private length = 0;

  constructor(private readonly start: number) {}

  /** The place of the next event. */
  get position(): number {
    return this.start + LENGTH_BYTES + this.length;
  }

  add(event: Buffer): void {
    this.parts.push(lengthOf(event.length), event);
    this.length += LENGTH_BYTES + event.length;
  }

  build(): Buffer {
    const length = lengthOf(this.length);
    return Buffer.concat([length, ...this.parts, length]);
  }
}

function lengthOf(bytes: number): Buffer {
  const length = Buffer.alloc(LENGTH_BYTES);
  length.writeUInt32LE(bytes);
  return length;
}

function recordAt(content: Buffer, start: number): Buffer | undefined {
  if (start + LENGTH_BYTES > content.length) return undefined;
  const length = content.readUInt32LE(start);
  const end = start + LENGTH_BYTES + length;
  if (end + LENGTH_BYTES > content.length || content.readUInt32LE(end) !== length) return undefined;
  return content.subarray(start + LENGTH_BYTES, end);
}

function eventsOf(record: Buffer): Buffer[] {
  const events: Buffer[] = [];
  for (let at = 0; at < record.length;) {
    const start = at + LENGTH_BYTES;
    at = start + record.readUInt32LE(at);
    events.push(record.subarray(start, at));
  }
  return events;
}
