import { once } from 'node:events';
import { createServer, type IncomingMessage, type Server, type ServerResponse } from 'node:http';
import { text } from 'node:stream/consumers';

/** A request as the API behind a gateway received it. */
export interface Arrived {
  readonly method: string;
  readonly url: string;
  readonly body: string;
  /** Every header that begins with `keyledger` or carries a key, in lower case. */
  readonly told: Readonly<Record<string, string>>;
}

const ANSWER = 'the answer of the API';
const TOLD = /^(?:keyledger|authorization|x.api.key)/;

/** A server in this process with its own port. */
export interface LocalServer {
  readonly address: string;
  stop(): Promise<void>;
}

/** An API that records each request. */
export interface ApiBehind extends LocalServer {
  readonly answer: string;
  /** Takes the requests since the last call. */
  arrived(): Arrived[];
}

/** A server in place of Keyledger that gives every question the same answer. */
export interface FixedAnswers extends LocalServer {
  /** `broken`: the connection ends without an answer. `silent`: no answer comes. */
  answer: number | 'broken' | 'silent';
  /** The method and the path of each question, in order. */
  readonly asked: readonly string[];
}

export async function startApi(): Promise<ApiBehind> {
  let requests: Arrived[] = [];
  const server = await startLocal(async (request, response) => {
    const { method = '', url = '' } = request;
    const told = Object.fromEntries(
      Object.entries(request.headersDistinct)
        .filter(([name]) => TOLD.test(name))
        .map(([name, values = []]) => [name, values.join(' AND ')]),
    );
    requests.push({ method, url, body: await text(request), told });
    response.end(ANSWER);
  });
  return {
    ...server,
    answer: ANSWER,
    arrived() {
      const taken = requests;
      requests = [];
      return taken;
    },
  };
}

export async function startFixedAnswers(): Promise<FixedAnswers> {
  const asked: string[] = [];
  const server = await startLocal((request, response) => {
    asked.push(`${request.method} ${request.url}`);
    if (fixed.answer === 'silent') return;
    if (fixed.answer === 'broken') request.socket.destroy();
    else response.writeHead(fixed.answer, { Location: '/elsewhere' }).end();
  });
  const fixed: FixedAnswers = { ...server, answer: 200, asked };
  return fixed;
}

export async function startLocal(
  listener: (request: IncomingMessage, response: ServerResponse) => Promise<void> | void,
): Promise<LocalServer> {
  const server: Server = createServer((request, response) => {
    void listener(request, response);
  }).listen(0, '127.0.0.1');
  await once(server, 'listening');
  const address = server.address();
  if (address === null || typeof address === 'string') throw new Error('there is no port');
  return {
    address: `http://127.0.0.1:${address.port}`,
    async stop() {
      server.closeAllConnections();
      server.close();
      await once(server, 'close');
    },
  };
}
