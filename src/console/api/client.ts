import createClient, { defaultPathSerializer, type Middleware } from 'openapi-fetch';
import { Failure, failureOf, thrownFailure } from './failure.js';
import { idleKey } from './idle-key.js';
import type { paths } from './openapi.js';

/** The value of an answer, and whether the service marked it as out of date (docs/api.md 6.3). */
export interface Answer<Value> {
  readonly value: Value;
  readonly isStale: boolean;
}

/** The address above `/console/`, also behind a proxy that adds a prefix. */
const ROOT = new URL('..', document.baseURI).href.replace(/\/$/, '');

/** The typed client of the API. Its calls are passed to `answered`. */
export const api = createClient<paths>({
  baseUrl: ROOT,
  pathSerializer(path, parameters) {
    // A browser removes such a segment, encoded or not, so the request would go to another path.
    if (Object.values(parameters).some((value) => value === '.' || value === '..')) {
      throw new Failure('The API has no address for the ids "." and ".."; only lists have them.');
    }
    return defaultPathSerializer(path, parameters);
  },
});

let onKeyLost: (failure: Failure) => void = () => undefined;

/** Sets what is called when the service refuses the key, or when its time is over. */
export function whenKeyIsLost(listener: (failure: Failure) => void): void {
  onKeyLost = listener;
}

const authentication: Middleware = {
  onRequest({ request }) {
    const key = idleKey.read();
    if (key !== null) request.headers.set('Authorization', `Bearer ${key}`);
    return request;
  },
};
api.use(authentication);

interface Result<Value> {
  readonly data?: Value;
  readonly error?: unknown;
  readonly response: Response;
}

/**
 * Waits for the answer to a call of `api`.
 * @throws Failure for every error, also when there is no answer.
 */
export async function answered<Value>(
  call: Promise<Result<Value>>,
): Promise<Answer<NonNullable<Value>>> {
  const { data, error, response } = await call.catch((thrown: unknown) => {
    throw thrownFailure(thrown);
  });
  if (!response.ok) {
    const failure = failureOf(error, response);
    if (response.status === 401) onKeyLost(failure);
    throw failure;
  }
  const isStale = response.headers.get('Keyledger-Stale') === 'true';
  return { value: data as NonNullable<Value>, isStale };
}

/** Waits for something that may be gone. @returns null where the service answered 404. */
export async function foundOrNull<Value>(found: Promise<Answer<Value>>): Promise<Value | null> {
  try {
    return (await found).value;
  } catch (thrown) {
    if (thrown instanceof Failure && thrown.details.status === 404) return null;
    throw thrown;
  }
}
