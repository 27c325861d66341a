import type { ApiDescription } from './api-description.js';
import type { Answer } from './http-client.js';

interface ToldError {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly message: unknown;
}

interface Example {
  readonly value: { readonly error: { readonly message: string } };
}

/** Every error that a service answered. */
export class AnsweredErrors {
  readonly #told = new Map<string, ToldError>();

  readonly hear = (method: string, pathAndQuery: string, { status, body }: Answer): void => {
    if (status < 400) return;
    const [path = ''] = pathAndQuery.split('?');
    const { message } = (body as { error?: { message?: unknown } } | undefined)?.error ?? {};
    const error = { method, path, status, message };
    this.#told.set(JSON.stringify(error), error);
  };

  /** Those of operations of a document that has no example of them. */
  undescribedIn({ paths }: ApiDescription): ToldError[] {
    const described = Object.entries(paths).map(([path, operations]) => ({
      matches: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
      operations,
    }));
    return [...this.#told.values()].filter(({ method, path, status, message }) => {
      const found = described.find(({ matches }) => matches.test(path));
      const operation = found?.operations[method.toLowerCase()];
      if (!operation) return false;
      const content = operation.responses[status]?.content?.['application/json'];
      const examples = Object.values(content?.examples ?? {}) as Example[];
      return !examples.some(({ value }) => value.error.message === message);
    });
  }
}
