import { once } from 'node:events';
import { get, type IncomingMessage } from 'node:http';

/** A client that reads the head of an answer, and the body only on `read()`. */
export interface SlowReader {
  readonly status: number | undefined;
  /** Reads the body. @throws Error when the connection breaks before its end. */
  read(): Promise<string>;
  leave(): void;
}

export async function askSlowly(
  url: string,
  headers: Readonly<Record<string, string>>,
): Promise<SlowReader> {
  const request = get(url, { headers, agent: false });
  const [response] = (await once(request, 'response')) as [IncomingMessage];
  // `read` throws for a broken connection.
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
