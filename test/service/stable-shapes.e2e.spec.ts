import type { IncomingMessage, Server, ServerResponse } from 'node:http';
import { describe, expect, it } from '@jest/globals';
import { runningApp } from '../support/harness/running-app.js';

describe('Requests and responses', () => {
  const service = runningApp();

  it('are made with the prototypes that Express gives them, so that V8 need not forget what it knows of them', async () => {
    const made: object[] = [];
    const left: object[] = [];
    const server: Server = service.app.getHttpServer();
    server.prependOnceListener('request', (request: IncomingMessage, response: ServerResponse) => {
      made.push(...[request, response].map(prototypeOf));
      response.once('finish', () => left.push(...[request, response].map(prototypeOf)));
    });
    expect((await service.client.get('/v1/end-users')).status).toBe(200);
    expect(left.map((prototype, which) => prototype === made[which])).toEqual([true, true]);
    // The prototype chain still contains the properties of Express.
    expect(left.map((prototype) => 'app' in prototype)).toEqual([true, true]);
  });
});

function prototypeOf(value: object): object {
  return Object.getPrototypeOf(value) as object;
}
