import { once } from 'node:events';
import type { Server } from 'node:http';
import { messageOf } from '../../../kernel/errors.js';

/**
 * Makes a server listen on a TCP port.
 * @param setting the name of the setting that contains the port.
 * @returns the address for a caller on this machine, such as `http://127.0.0.1:3001`.
 * @throws Error that names the setting, when the server cannot listen on the port.
 */
export async function listenOn(
  server: Server,
  { host, port }: { readonly host: string; readonly port: number },
  setting: string,
): Promise<string> {
  try {
    server.listen(port, host);
    await once(server, 'listening');
  } catch (cause) {
    throw new Error(`${setting}: cannot be listened on: ${messageOf(cause)}`, { cause });
  }
  const bound = server.address();
  if (bound === null || typeof bound === 'string') throw new Error('the server does not listen');
  return `http://${hostInAddress(host)}:${bound.port}`;
}

/** Returns the host part of an address that a caller on this machine can use. */
function hostInAddress(host: string): string {
  if (host === '0.0.0.0') return '127.0.0.1';
  if (host === '::') return '[::1]';
  return host.includes(':') ? `[${host}]` : host;
}
