import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { afterEach, beforeEach, describe, expect, it, jest } from '@jest/globals';
import express, { type Request, type Response } from 'express';
import { readBody } from './read-body.js';

const LIMIT = 1_000;

describe('a body that is read', () => {
  let request: Request;
  let outcome: Promise<unknown>;

  beforeEach(() => {
    jest.useFakeTimers({ doNotFake: ['nextTick', 'setImmediate', 'queueMicrotask'] });
    const message = new IncomingMessage(new Socket());
    Object.assign(message.headers, { 'content-length': '3', 'content-type': 'text/plain' });
    request = message as Request;
    const response = new ServerResponse(message) as Response;
    outcome = readBody(request, response, LIMIT, express.text()).then(
      () => request.body as unknown,
      (error: unknown) => error,
    );
  });

  afterEach(() => {
    jest.useRealTimers();
  });

  /** Receives a piece of the body, and lets the parser see it. */
  async function receive(piece: string | null): Promise<void> {
    request.push(piece);
    await new Promise((resolve) => setImmediate(resolve));
  }

  it('is 408 when nothing of it has come for 5 s', async () => {
    await receive('a');
    jest.advanceTimersByTime(4_999);
    await receive('b');
    jest.advanceTimersByTime(5_000);
    expect(await outcome).toMatchObject({ code: 'body-timeout' });
  });

  it('may come slowly', async () => {
    for (const piece of ['a', 'b', 'c']) {
      jest.advanceTimersByTime(4_999);
      await receive(piece);
    }
    await receive(null);
    expect(await outcome).toBe('abc');
    expect(jest.getTimerCount()).toBe(0);
  });
});
