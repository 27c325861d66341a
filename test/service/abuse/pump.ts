import { Agent, type IncomingHttpHeaders, request } from 'node:http';

/** A request of an attacker. */
export interface Shot {
  readonly method?: string;
  readonly path: string;
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: string | Buffer;
}

export interface Hit {
  /** 0 when the connection broke. */
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly text: string;
}

/**
 * Sends `total` requests to a service, `atOnce` at a time, and reads every answer.
 * @returns the number of answers by status.
 */
export async function pump(
  { address, key }: { readonly address: string; readonly key: string },
  { total, atOnce }: { readonly total: number; readonly atOnce: number },
  shot: (number: number) => Shot,
): Promise<Map<number, number>> {
  const agent = new Agent({ keepAlive: true, maxSockets: atOnce });
  const statuses = new Map<number, number>();
  let next = 0;
  const sender = async (): Promise<void> => {
    for (let number = next++; number < total; number = next++) {
      const { status } = await shoot(address, key, shot(number), agent);
      statuses.set(status, (statuses.get(status) ?? 0) + 1);
    }
  };
  await Promise.all(Array.from({ length: atOnce }, sender));
  agent.destroy();
  return statuses;
}

/** Sends one request and gives its answer. */
export function shoot(
  address: string,
  key: string,
  { method = 'GET', path, headers = {}, body }: Shot,
  agent: Agent | false = false,
): Promise<Hit> {
  return new Promise((resolve) => {
    const broken = (): void => resolve({ status: 0, headers: {}, text: '' });
    const length = body === undefined ? {} : { 'content-length': Buffer.byteLength(body) };
    const options = {
      method,
      agent,
      headers: { authorization: `Bearer ${key}`, ...length, ...headers },
    };
    const sent = request(address + path, options, (answer) => {
      let text = '';
      answer.setEncoding('utf8').on('data', (chunk: string) => (text += chunk));
      answer.on('error', broken);
      answer.on('end', () =>
        resolve({ status: answer.statusCode ?? 0, headers: answer.headers, text }),
      );
    });
    sent.on('error', broken);
    sent.end(body);
  });
}
