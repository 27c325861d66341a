import { isIP, isIPv6 } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { plainAddress } from './networks.js';

/**
 * Sets the client address of a request (docs/api.md 1.7): the address of the connection or, behind trusted proxies, the
 * address that the outermost trusted proxy saw. Express reads `X-Forwarded-For`. The setting `trust proxy` of Express
 * is a predicate from networks.ts.
 */
export function assignClientAddress(request: Request, _: Response, next: NextFunction): void {
  const { ip = '', socket } = request;
  request.clientAddress = plainAddress(isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip);
  next();
}

/** Returns the network within which one host can choose its address: an IPv4 address, or the /64 of an IPv6 address. */
export function hostNetworkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.replace(/%.*$/, '').split('::');
  const before = groupsOf(left);
  const after = right === undefined ? [] : groupsOf(right);
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** Splits part of an IPv6 address into groups. An embedded IPv4 address is outside the /64, so it becomes two zeros. */
function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
