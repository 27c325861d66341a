import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** Someone who asked for something and reads no more of the answer than its head, until told to. */
export interface SlowReader {
  readonly status: number | undefined;
  /** The rest. @throws when the connection breaks before its end. */
  read(): Promise<string>;
  leave(): void;
}

export async function askSlowly(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<SlowReader> {
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // Of a connection that breaks `read` tells.
  response.on('error', () => undefined);
  return {
    status: response.statusCode,
    async read() {
      const chunks: Buffer[] = [];
      for await (const chunk of response) chunks.push(chunk as Buffer);
      return Buffer.concat(chunks).toString();
    },
    leave: () => void request.destroy(),
  };
}
