import { closeSync, openSync, readSync } from 'node:fs';
import { openDatabase } from '../../sqlite/open-database.js';

/** The mark of a copy: "KLbk" in the header field that SQLite leaves to applications. In other logs the field is 0. */
const MARK = 0x4b_4c_62_6b;
const MARK_AT = 68;
const MARK_BYTES = 4;

/** Marks a file as a copy that this program made, so that the program may remove the file later. */
export function markCopy(file: string): void {
  change(file, `PRAGMA application_id = ${MARK}`);
}

/** Removes the mark, and merges a write-ahead log beside the file into the file. */
export function unmarkCopy(file: string): void {
  change(file, 'PRAGMA journal_mode = DELETE; PRAGMA application_id = 0');
}

/** Whether a file has the mark. The file must not be open in this process, because closing it drops SQLite's locks. */
export function isMarkedCopy(file: string): boolean {
  const descriptor = openSync(file, 'r');
  try {
    const mark = Buffer.alloc(MARK_BYTES);
    return readSync(descriptor, mark, 0, MARK_BYTES, MARK_AT) === MARK_BYTES && isMark(mark);
  } finally {
    closeSync(descriptor);
  }
}

function isMark(bytes: Buffer): boolean {
  return bytes.readUInt32BE() === MARK;
}

function change(file: string, sql: string): void {
  const db = openDatabase(file, { fileMustExist: true });
  try {
    db.exec(sql);
  } finally {
    db.close();
  }
}
