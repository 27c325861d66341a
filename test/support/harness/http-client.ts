/**
 * An answer with its body as text and parsed. The parsed body is undefined for other types than
 * JSON.
 */
export interface Answer<Body = unknown> {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly body: Body;
}

export interface Call {
  /** The key of `Authorization: Bearer …`. */
  readonly key?: string;
  /** The body. Strings and bytes are sent unchanged, other values as JSON. */
  readonly body?: unknown;
  readonly headers?: Readonly<Record<string, string>>;
}

/** An HTTP client of a service at an address such as `http://127.0.0.1:3000`. */
export class HttpClient {
  constructor(
    readonly address: string,
    private readonly key?: string,
  ) {}

  /** Gives the same client with another key, or without a key. */
  as(key: string | undefined): HttpClient {
    return new HttpClient(this.address, key);
  }

  get<Body = unknown>(path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.send('GET', path, call);
  }

  post<Body = unknown>(path: string, body: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.send('POST', path, { ...call, body });
  }

  put<Body = unknown>(path: string, body: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.send('PUT', path, { ...call, body });
  }

  patch<Body = unknown>(path: string, body: unknown, call: Call = {}): Promise<Answer<Body>> {
    return this.send('PATCH', path, { ...call, body });
  }

  delete<Body = unknown>(path: string, call: Call = {}): Promise<Answer<Body>> {
    return this.send('DELETE', path, call);
  }

  async send<Body = unknown>(method: string, path: string, call: Call = {}): Promise<Answer<Body>> {
    const key = call.key ?? this.key;
    const response = await fetch(this.address + path, {
      method,
      headers: {
        ...(key !== undefined && { Authorization: `Bearer ${key}` }),
        ...(call.body !== undefined && { 'Content-Type': 'application/json' }),
        ...call.headers,
      },
      ...(call.body !== undefined && { body: bodyOf(call.body) }),
    });
    const text = await response.text();
    const { status, headers } = response;
    const answer = { status, headers, text, body: parse(text) as Body };
    return answer;
  }
}

function bodyOf(body: unknown): string | Uint8Array<ArrayBuffer> {
  if (typeof body === 'string') return body;
  return body instanceof Uint8Array ? new Uint8Array(body) : JSON.stringify(body);
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text);
  } catch {
    return undefined;
  }
}
