import type { Answer } from './http-client.js';
import { openRawConnection } from './raw-connection.js';

/**
 * Sends a request that no HTTP client sends. Gives the answer, once the service has closed the
 * connection.
 */
export async function sendRaw(address: string, request: string | Buffer): Promise<Answer> {
  const connection = await openRawConnection(address);
  connection.send(request);
  await connection.closed;
  return parse(connection.received());
}

function parse(text: string): Answer {
  const [head = '', body = ''] = text.split('\r\n\r\n');
  const [statusLine = '', ...lines] = head.split('\r\n');
  const headers = new Headers(
    lines.map((line): [string, string] => {
      const colon = line.indexOf(':');
      return [line.slice(0, colon), line.slice(colon + 1).trim()];
    }),
  );
  const isJson = headers.get('content-type')?.startsWith('application/json') === true;
  return {
    status: Number(statusLine.split(' ')[1]),
    headers,
    text: body,
    body: isJson && body !== '' ? JSON.parse(body) : undefined,
  };
}
