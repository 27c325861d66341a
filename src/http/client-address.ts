import { isIP, isIPv6 } from 'node:net';
import type { NextFunction, Request, Response } from 'express';
import { plainAddress } from './networks.js';

/**
 * Notes the address that a request comes from (docs/api.md 1.7): that of its connection or, behind trusted proxies, the one
 * that the outermost of them was asked from. Express walks `X-Forwarded-For`, with `membership` of networks.ts as its setting `trust proxy`.
 */
export function assignClientAddress(request: Request, _: Response, next: NextFunction): void {
  const { ip = '', socket } = request;
  request.clientAddress = plainAddress(isIP(ip) === 0 ? (socket.remoteAddress ?? '') : ip);
  next();
}

/** What one host can choose its address from: an IPv4 address alone, or the first 64 bits of an IPv6 one. */
export function hostNetworkOf(address: string): string {
  if (!isIPv6(address)) return address;
  const [left = '', right] = address.replace(/%.*$/, '').split('::');
  const before = groupsOf(left);
  const after = right === undefined ? [] : groupsOf(right);
  const zeros = Array<string>(Math.max(0, 8 - before.length - after.length)).fill('0');
  const groups = [...before, ...zeros, ...after].slice(0, 4);
  return `${groups.map((group) => Number.parseInt(group, 16).toString(16)).join(':')}::/64`;
}

/** An embedded IPv4 address stands for two groups, whatever they are: they are never among the first four. */
function groupsOf(part: string): string[] {
  if (part === '') return [];
  return part.split(':').flatMap((group) => (group.includes('.') ? ['0', '0'] : [group]));
}
