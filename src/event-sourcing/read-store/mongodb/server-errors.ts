import {
  MongoError,
  MongoErrorLabel,
  MongoMissingDependencyError,
  MongoNetworkError,
  MongoServerError,
  type MongoServerSelectionError,
} from 'mongodb';
import { messageOf } from '../../../kernel/errors.js';

const BAD_VALUE = 2;
const NAMESPACE_NOT_FOUND = 26;
const CURSOR_NOT_FOUND = 43;
const NAMESPACE_EXISTS = 48;
const MAX_TIME_EXPIRED = 50;
const QUERY_PLAN_KILLED = 175;
const SNAPSHOT_TOO_OLD = 239;
const SNAPSHOT_UNAVAILABLE = 246;
/** Not authorized, authentication failed, no such mechanism; and a refusal of Atlas. */
const DENIALS = [13, 18, 334, 8_000];
const DUPLICATE_KEY = 11_000;
const INTERRUPTED = 11_601;
/** The server shuts down, steps down, is no primary, or has just begun to be one. */
const NO_PRIMARY = [91, 134, 189, 10_107, 11_600, 11_602, 13_435, 13_436];

export function isDuplicateKey(error: unknown): boolean {
  return hasCode(error, DUPLICATE_KEY);
}

/** Whether a collection was not dropped because it does not exist. */
export function isNoCollection(error: unknown): boolean {
  return hasCode(error, NAMESPACE_NOT_FOUND);
}

/** Whether a read names an index that its collection does not have. */
export function isNoIndex(error: unknown): boolean {
  return hasCode(error, BAD_VALUE) && /\bhint\b/.test(messageOf(causeOf(error)));
}

/** Whether a collection was not created because it exists. */
export function isCollection(error: unknown): boolean {
  return hasCode(error, NAMESPACE_EXISTS);
}

export function isOutOfTime(error: unknown): boolean {
  return hasCode(error, MAX_TIME_EXPIRED);
}

/** Whether the state of a read is gone: too old, or hidden by a change of the indexes. */
export function isLostState(error: unknown): boolean {
  return hasCode(
    error,
    SNAPSHOT_TOO_OLD,
    SNAPSHOT_UNAVAILABLE,
    CURSOR_NOT_FOUND,
    QUERY_PLAN_KILLED,
  );
}

/** Whether the primary or the way to it was lost in a read, so that the next may answer. */
export function isLostPrimary(error: unknown): boolean {
  return error instanceof MongoNetworkError || hasCode(error, ...NO_PRIMARY);
}

/** Whether only an operator can help: with a user, a password, or a module that the URI needs. */
export function isDenial(error: unknown): boolean {
  return error instanceof MongoMissingDependencyError || hasCode(error, ...DENIALS);
}

/** Whether a transaction came to nothing, for a reason that may be gone at the next try. */
export function isTransient(error: unknown): boolean {
  // The server does not label the error of a command whose session another writer ends.
  return hasLabel(error, MongoErrorLabel.TransientTransactionError) || hasCode(error, INTERRUPTED);
}

export function isUnknownCommit(error: unknown): boolean {
  return hasLabel(error, MongoErrorLabel.UnknownTransactionCommitResult);
}

/** Says why the driver found no server, also where it says only how long it looked. */
export function whyNoServer({ message, reason }: MongoServerSelectionError): string {
  const set = reason?.setName ?? null;
  const servers = [...(reason?.servers.values() ?? [])];
  // The driver forgets the servers that are of no set or of another one, or names no fault of them.
  if (set !== null && servers.every(({ error }) => !error)) {
    return `no server of MONGODB_URI is a member of a replica set with the name ${set}`;
  }
  if (/secure|SSL/.test(message)) {
    return `MONGODB_URI requires TLS, but the server does not answer with TLS: ${message}`;
  }
  return message;
}

function hasCode(error: unknown, ...codes: readonly number[]): boolean {
  const own = causeOf(error);
  return own instanceof MongoServerError && codes.includes(Number(own.code));
}

function hasLabel(error: unknown, label: string): boolean {
  const own = causeOf(error);
  return own instanceof MongoError && own.hasErrorLabel(label);
}

/** The error of the driver, which `Connection.call` wraps. */
function causeOf(error: unknown): unknown {
  return error instanceof Error && error.cause instanceof MongoError ? error.cause : error;
}
