import type { ApiDescription } from './api-description.js';
import type { Answer } from './http-client.js';

interface AnsweredError {
  readonly method: string;
  readonly path: string;
  readonly status: number;
  readonly message: unknown;
}

interface Example {
  readonly value: { readonly error: { readonly message: string } };
}

/** Collects every error that a service answered. */
export class AnsweredErrors {
  readonly #errors = new Map<string, AnsweredError>();

  readonly hear = (method: string, pathAndQuery: string, { status, body }: Answer): void => {
    if (status < 400) return;
    const [path = ''] = pathAndQuery.split('?');
    const { message } = (body as { error?: { message?: unknown } } | undefined)?.error ?? {};
    const error = { method, path, status, message };
    this.#errors.set(JSON.stringify(error), error);
  };

  /** Gives the errors that a document does not describe. Errors of unknown paths do not count. */
  undescribedIn({ paths }: ApiDescription): AnsweredError[] {
    const described = Object.entries(paths).map(([path, operations]) => ({
      matches: new RegExp(`^${path.replace(/\{\w+\}/g, '[^/]+')}/?$`, 'i'),
      operations,
    }));
    return [...this.#errors.values()].filter(({ method, path, status, message }) => {
      const found = described.find(({ matches }) => matches.test(path));
      const operation = found?.operations[method.toLowerCase()];
      if (!operation) return false;
      const content = operation.responses[status]?.content?.['application/json'];
      const examples = Object.values(content?.examples ?? {}) as Example[];
      return !examples.some(({ value }) => value.error.message === message);
    });
  }
}
