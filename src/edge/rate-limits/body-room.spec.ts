import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { setImmediate as nextTurn } from 'node:timers/promises';
import { beforeEach, describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { BodyRoom } from './body-room.js';

const KIB = 1024;
const LIMIT = 100 * KIB;
const REPORT_LIMIT = 512 * KIB;
const READING_PLACES = 64;
const MIB_OF_ACCOUNT = 16;
const MIB_OF_ALL = 64;

interface Sent {
  readonly account?: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly isReport?: boolean;
}

describe('the room for bodies', () => {
  let room: BodyRoom;
  /** The requests that may be read, in order. */
  let entered: { readonly request: Request; readonly response: Response }[];

  beforeEach(() => {
    room = new BodyRoom();
    entered = [];
  });

  /** Lets requests ask for room. @returns how many of them may be read. */
  async function enter(count: number, sent: Sent): Promise<number> {
    const { account = 'a', headers, isReport = false } = sent;
    const before = entered.length;
    for (let index = 0; index < count; index += 1) {
      const message = new IncomingMessage(new Socket());
      Object.assign(message.headers, headers);
      const request = Object.assign(message, { caller: { accountId: account } }) as unknown;
      const one = {
        request: request as Request,
        response: new ServerResponse(message) as Response,
      };
      const limit = isReport ? REPORT_LIMIT : LIMIT;
      void room.enter(one.request, one.response, limit, isReport).then(() => entered.push(one));
    }
    await nextTurn();
    return entered.length - before;
  }

  const large = (bytes: number) => ({ headers: { 'content-length': String(bytes) } });

  it('holds 64 large bodies of an account, and as many of its reports', async () => {
    expect(await enter(70, large(17 * KIB))).toBe(READING_PLACES);
    expect(await enter(70, { ...large(17 * KIB), isReport: true })).toBe(READING_PLACES);
    expect(await enter(1, { ...large(17 * KIB), account: 'b' })).toBe(1);
  });

  it.each([
    ['come in chunks', { 'transfer-encoding': 'chunked' }],
    ['are compressed', { 'content-length': '10', 'content-encoding': 'gzip' }],
  ])('takes bodies that %s for as large as they may be', async (_, headers) => {
    expect(await enter(1_000, { headers, isReport: true })).toBe(16);
  });

  it('holds small bodies whatever large ones take, each as large as it says', async () => {
    await enter(1_000, large(LIMIT));
    await enter(1_000, { ...large(REPORT_LIMIT), isReport: true });
    expect(await enter(300, large(100))).toBe(300);
  });

  it('holds at most 16 MiB of an account, and 64 MiB in all', async () => {
    const bytes = async (account: string): Promise<number> =>
      16 * KIB * (await enter(5_000, { ...large(16 * KIB), account })) +
      LIMIT * (await enter(1_000, { ...large(LIMIT), account })) +
      REPORT_LIMIT * (await enter(1_000, { ...large(REPORT_LIMIT), account, isReport: true }));
    const first = await bytes('a');
    expect(first).toBeGreaterThan(0.99 * MIB_OF_ACCOUNT * KIB * KIB);
    expect(first).toBeLessThanOrEqual(MIB_OF_ACCOUNT * KIB * KIB);
    let all = first;
    for (const account of ['b', 'c', 'd', 'e', 'f']) all += await bytes(account);
    expect(all).toBeLessThanOrEqual(MIB_OF_ALL * KIB * KIB);
  });

  it('is given back once the request has a slot, or its connection closes', async () => {
    expect(await enter(70, large(17 * KIB))).toBe(READING_PLACES);
    const [first, second] = entered;
    first?.request.releaseBodyRoom?.();
    second?.response.destroy();
    second?.response.emit('close');
    first?.response.emit('close');
    await nextTurn();
    expect(entered).toHaveLength(READING_PLACES + 2);
  });
});
