import type { Server } from 'node:http';
import type { NextFunction, Request, Response } from 'express';
import { Refusal } from '../kernel/errors.js';

/** Turns off Node's check of the Host header, because Node's refusal has no body. `requireHost` checks instead. */
export function checkHostOurselves(server: Server): void {
  Object.assign(server, { requireHostHeader: false });
}

/** Refuses an HTTP/1.1 request without a Host header or with several, as the protocol demands. */
export function requireHost(request: Request, response: Response, next: NextFunction): void {
  const given = request.headersDistinct.host?.length ?? 0;
  if (request.httpVersion !== '1.1' || given === 1) {
    next();
    return;
  }
  response.setHeader('Connection', 'close');
  const message = given === 0 ? 'must be given' : 'must be given once';
  next(new Refusal('request-invalid', { issues: [{ path: 'Host', message }] }));
}
