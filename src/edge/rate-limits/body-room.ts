import type { Request, Response } from 'express';
import { onceClosed } from '../http/server/once-closed.js';
import { KeyedSemaphore, type Release } from './keyed-semaphore.js';

const MIB = 1024 * 1024;
const SMALL_BYTES = 16 * 1024;
/** The number of large bodies of an account that are read or wait at once. */
const MOST_LARGE = 64;

declare module 'express' {
  interface Request {
    /** Frees the room of the body, when the request has a slot of its account, or ends. */
    releaseBodyRoom?: Release;
  }
}

/** Makes a share of an account's 16 MiB and of the 64 MiB of all. A body takes `least` or more. */
function shareOf(mebibytes: number, least: number) {
  const bytes = mebibytes * MIB;
  return { least, ofAccount: new KeyedSemaphore(bytes), ofAll: new KeyedSemaphore(4 * bytes) };
}

/**
 * Bounds the bodies that are read, or wait for a slot of their account (docs/api.md 2.10). Beyond
 * the bounds, a body is not read. Each kind of body has a share of its own, so that slow senders of
 * large bodies do not delay small ones.
 */
export class BodyRoom {
  readonly #small = shareOf(4, 0);
  readonly #large = shareOf(4, (4 * MIB) / MOST_LARGE);
  readonly #reports = shareOf(8, (8 * MIB) / MOST_LARGE);

  /** Waits until there is room for the body of a request, or the caller disconnects. */
  async enter(
    request: Request,
    response: Response,
    limitBytes: number,
    isReport: boolean,
  ): Promise<void> {
    const account = request.caller?.accountId ?? '';
    const bytes = Math.min(lengthOf(request) ?? limitBytes, limitBytes);
    const large = isReport ? this.#reports : this.#large;
    const { least, ofAccount, ofAll } = bytes > SMALL_BYTES ? large : this.#small;
    const amount = Math.max(bytes, least);
    const held = [
      await ofAccount.acquire(account, response, amount),
      await ofAll.acquire('all', response, amount),
    ];
    const release = (): void => held.forEach((one) => one?.());
    request.releaseBodyRoom = release;
    onceClosed(response, release);
  }
}

/** Returns the length of a body in bytes; undefined when the headers do not tell it. */
function lengthOf({ headers }: Request): number | undefined {
  const isEncoded = (headers['content-encoding'] ?? 'identity') !== 'identity';
  if (isEncoded || headers['transfer-encoding'] !== undefined) return undefined;
  return Number(headers['content-length'] ?? 0);
}
