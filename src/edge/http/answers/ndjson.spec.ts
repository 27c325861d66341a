import { IncomingMessage, ServerResponse } from 'node:http';
import { Socket } from 'node:net';
import { describe, expect, it } from '@jest/globals';
import type { Request, Response } from 'express';
import { sendNdjson } from './ndjson.js';

describe('a stream of NDJSON', () => {
  it('ends at once when its connection closed before it began', async () => {
    const request = new IncomingMessage(new Socket());
    const response = new ServerResponse(request);
    response.destroy();
    response.emit('close');
    let reads = 0;
    const found = (async function* () {
      reads += 1;
      yield await Promise.resolve([{ a: 1 }]);
    })();
    await sendNdjson(request as Request, response as Response, { found, isLate: false });
    expect(reads).toBe(0);
  });
});
