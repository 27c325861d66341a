import type { Server } from 'node:http';

/** Gives the address of a server that listens on a host, such as `http://127.0.0.1:3001`. */
export function addressOf(server: Server, host: string): string {
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen');
  return `http://${hostInAddress(host)}:${bound.port}`;
}

/** Gives a host that a caller on this machine can use. */
function hostInAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
