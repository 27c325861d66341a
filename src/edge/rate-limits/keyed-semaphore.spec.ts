import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Response } from 'express';
import { KeyedSemaphore, type Release } from './keyed-semaphore.js';

function newResponse(): Response {
  return new ServerResponse(new IncomingMessage(new Socket())) as Response;
}

function close(response: Response): void {
  response.destroy();
  response.emit('close');
}

describe('a keyed semaphore', () => {
  function acquired(semaphore: KeyedSemaphore, key: string): Release {
    const release = semaphore.tryAcquire(key);
    if (!release) throw new Error('no slot is free');
    return release;
  }

  it('gives each key so many slots, whatever other keys hold', () => {
    const semaphore = new KeyedSemaphore(2);
    expect([semaphore.tryAcquire('a'), semaphore.tryAcquire('a')]).not.toContain(undefined);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    expect(semaphore.tryAcquire('b')).toBeDefined();
  });

  it('gives a released slot to the one that has waited longest', async () => {
    const semaphore = new KeyedSemaphore(1);
    const first = acquired(semaphore, 'a');
    const entered: string[] = [];
    const waiting = ['one', 'two'].map(async (name) => {
      const release = await semaphore.acquire('a', newResponse());
      entered.push(name);
      return release;
    });
    first();
    const second = await waiting[0];
    expect(entered).toEqual(['one']);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    second?.();
    const last = await waiting[1];
    expect(entered).toEqual(['one', 'two']);
    last?.();
    expect(semaphore.tryAcquire('a')).toBeDefined();
  });

  it('takes a slot back once', () => {
    const semaphore = new KeyedSemaphore(2);
    const first = acquired(semaphore, 'a');
    acquired(semaphore, 'a');
    first();
    first();
    expect(semaphore.tryAcquire('a')).toBeDefined();
    expect(semaphore.tryAcquire('a')).toBeUndefined();
  });

  it('gives several slots at once, and keeps the line when fewer would do for a later one', async () => {
    const semaphore = new KeyedSemaphore(10);
    const first = semaphore.tryAcquire('a', 7);
    const entered: string[] = [];
    const enter = async (name: string, amount: number): Promise<void> => {
      await semaphore.acquire('a', newResponse(), amount);
      entered.push(name);
    };
    const all = Promise.all([enter('large', 6), enter('small', 1)]);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    first?.();
    await all;
    expect(entered).toEqual(['large', 'small']);
    expect(semaphore.tryAcquire('a', 4)).toBeUndefined();
    expect(semaphore.tryAcquire('a', 3)).toBeDefined();
  });

  it('lets those behind pass when a caller disconnects who waits, or has disconnected before', async () => {
    const semaphore = new KeyedSemaphore(2);
    const first = acquired(semaphore, 'a');
    const leaving = newResponse();
    const left = semaphore.acquire('a', leaving, 2);
    const next = semaphore.acquire('a', newResponse());
    close(leaving);
    expect(await left).toBeUndefined();
    (await next)?.();
    expect(await semaphore.acquire('a', leaving)).toBeUndefined();
    first();
    expect(semaphore.tryAcquire('a', 2)).toBeDefined();
  });

  it('keeps the slots of one whose caller disconnects later, until they are given back', async () => {
    const semaphore = new KeyedSemaphore(1);
    const first = acquired(semaphore, 'a');
    const response = newResponse();
    const second = semaphore.acquire('a', response);
    first();
    const release = await second;
    close(response);
    expect(semaphore.tryAcquire('a')).toBeUndefined();
    release?.();
    expect(semaphore.tryAcquire('a')).toBeDefined();
  });
});
