import { mkdirSync, writeFileSync } from 'node:fs';
import { dirname, join, relative } from 'node:path';

/** A change of a file: a write, or the length that the file was cut to. */
type Change = { readonly offset: number; readonly data: Buffer } | number;

/** A file as it would be after a power cut. */
interface File {
  readonly durable: Content;
  /** The changes since the file was synced, in order. */
  readonly unsynced: Change[];
  /** How many of these changes the sync under way covers. */
  covered: number;
  /**
   * Whether its directory was synced since the file was made. Otherwise a power cut takes the whole
   * file.
   */
  isEntered: boolean;
}

/**
 * The certain contents of a disk, and the possible ones, by a record of disk.c. A test may write
 * lines of its own into the record, such as `answered NAME`, at the moment when it sees something.
 */
export class RecordedDisk {
  readonly #files = new Map<string, File>();

  /** @param root the directory of the files. */
  constructor(private readonly root: string) {}

  /**
   * Plays a record. @param told called for each line that is not of the disk. @param synced called
   * before each sync.
   */
  play(record: Buffer, told: (line: string) => void, synced: () => void): void {
    for (let at = 0; at < record.length;) {
      const end = record.indexOf('\n', at);
      const line = record.toString('utf8', at, end);
      at = end + 1;
      const [word, path = '', offset, length] = line.split(' ');
      if (word === 'write') {
        const data = record.subarray(at, at + Number(length));
        this.#file(path).unsynced.push({ offset: Number(offset), data });
        at += data.length + 1;
      } else if (word === 'create') this.#file(path);
      else if (word === 'truncate') this.#file(path).unsynced.push(Number(offset));
      else if (word === 'unlink') this.#files.delete(path);
      else if (word === 'sync') this.#begin(path);
      else if (word === 'synced') {
        synced();
        this.#sync(path);
      } else told(line);
    }
  }

  /**
   * Writes into a directory what a power cut would leave.
   * @param isKept whether an unsynced change of a file is on the disk. @param files the end of the
   * paths of the files.
   */
  cut(directory: string, isKept: (file: string) => boolean, files = /$/): void {
    for (const [path, { durable, unsynced, isEntered }] of this.#files) {
      if (!isEntered || !files.test(path)) continue;
      const left = durable.copy();
      for (const change of unsynced) if (isKept(path)) left.apply(change);
      const file = join(directory, relative(this.root, path));
      mkdirSync(dirname(file), { recursive: true });
      writeFileSync(file, left.bytes);
    }
  }

  #begin(path: string): void {
    const file = this.#files.get(path);
    if (file) file.covered = file.unsynced.length;
  }

  #sync(path: string): void {
    const file = this.#files.get(path);
    if (file) {
      for (const change of file.unsynced.splice(0, file.covered)) file.durable.apply(change);
      file.covered = 0;
    }
    for (const [name, entry] of this.#files) if (dirname(name) === path) entry.isEntered = true;
  }

  #file(path: string): File {
    const known = this.#files.get(path);
    if (known) return known;
    const file = { durable: new Content(), unsynced: [], covered: 0, isEntered: false };
    this.#files.set(path, file);
    return file;
  }
}

/** The bytes of a file. */
class Content {
  #room = Buffer.alloc(0);
  #length = 0;

  get bytes(): Buffer {
    return this.#room.subarray(0, this.#length);
  }

  copy(): Content {
    const copy = new Content();
    copy.apply({ offset: 0, data: this.bytes });
    return copy;
  }

  apply(change: Change): void {
    const end = typeof change === 'number' ? change : change.offset + change.data.length;
    if (end > this.#room.length) this.#room = Buffer.concat([this.bytes, Buffer.alloc(2 * end)]);
    if (typeof change === 'number') {
      this.#room.fill(0, change);
      this.#length = change;
    } else {
      change.data.copy(this.#room, change.offset);
      this.#length = Math.max(this.#length, end);
    }
  }
}
