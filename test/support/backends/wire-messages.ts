import { Buffer } from 'node:buffer';
import type { Socket } from 'node:net';
import { BSON } from 'mongodb';

const HEADER_LENGTH = 16;
/** The flags of an OP_MSG and the kind of its first section stand between header and command. */
const COMMAND_OFFSET = HEADER_LENGTH + 5;
const OP_MSG = 2013;
const OP_REPLY = 1;
/** Flags, cursor and places of an OP_REPLY stand between header and document. */
const REPLY_OFFSET = HEADER_LENGTH + 20;

/** A command on its way to the server. */
export interface Command {
  readonly name: string;
  readonly database: string;
  /** Absent for a command that concerns no collection. */
  readonly collection: string | undefined;
  readonly body: Readonly<Record<string, unknown>>;
}

/** Gives the complete messages that arrive on a socket, until the other side ends. */
export async function* messagesOf(socket: Socket): AsyncGenerator<Buffer, undefined> {
  let bytes = Buffer.alloc(0);
  try {
    for await (const chunk of socket) {
      bytes = Buffer.concat([bytes, chunk as Buffer]);
      while (bytes.length >= HEADER_LENGTH && bytes.length >= bytes.readInt32LE(0)) {
        const length = bytes.readInt32LE(0);
        yield bytes.subarray(0, length);
        bytes = bytes.subarray(length);
      }
    }
  } catch {
    // The other side was cut off.
  }
  return undefined;
}

/** Gives the command of a message; undefined for a message of another kind. */
export function commandOf(message: Buffer): Command | undefined {
  if (message.readInt32LE(12) !== OP_MSG) return undefined;
  const body: Record<string, unknown> = {};
  for (const section of documentsOf(message)) Object.assign(body, section);
  const [name = '', first] = Object.entries(body)[0] ?? [];
  return {
    name,
    database: String(body.$db),
    collection: typeof first === 'string' ? first : undefined,
    body,
  };
}

/** Gives the command, with the lists that the driver sends in separate sections. */
function* documentsOf(message: Buffer): Iterable<Record<string, unknown>> {
  let offset = COMMAND_OFFSET - 1;
  while (offset < message.length) {
    const kind = message.readUInt8(offset);
    const length = message.readInt32LE(offset + 1);
    const section = message.subarray(offset + 1, offset + 1 + length);
    if (kind === 0) yield BSON.deserialize(section);
    else yield listOf(section);
    offset += 1 + length;
  }
}

function listOf(section: Buffer): Record<string, unknown> {
  const nameEnd = section.indexOf(0, 4);
  const documents: unknown[] = [];
  let offset = nameEnd + 1;
  while (offset < section.length) {
    const end = offset + section.readInt32LE(offset);
    documents.push(BSON.deserialize(section.subarray(offset, end)));
    offset = end;
  }
  return { [section.toString('utf8', 4, nameEnd)]: documents };
}

/** Makes a message with one document: a command, or the answer to the message `to`. */
export function messageOf(body: Readonly<Record<string, unknown>>, to?: Buffer): Buffer {
  const document = BSON.serialize(body);
  const message = Buffer.alloc(COMMAND_OFFSET + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(to?.readInt32LE(4) ?? 0, 8);
  message.writeInt32LE(OP_MSG, 12);
  message.set(document, COMMAND_OFFSET);
  return message;
}

/** Makes the answer to a first message, which drivers send in the form of old servers. */
export function firstAnswerOf(body: Readonly<Record<string, unknown>>, to: Buffer): Buffer {
  const document = BSON.serialize(body);
  const message = Buffer.alloc(REPLY_OFFSET + document.length);
  message.writeInt32LE(message.length, 0);
  message.writeInt32LE(to.readInt32LE(4), 8);
  message.writeInt32LE(OP_REPLY, 12);
  message.writeInt32LE(1, REPLY_OFFSET - 4);
  message.set(document, REPLY_OFFSET);
  return message;
}
