import createClient, { defaultPathSerializer, type Middleware } from 'openapi-fetch';
import {
  CHANGE_NOT_ANSWERED,
  Failure,
  failureOf,
  isMarkedStale,
  NO_KEYLEDGER,
  thrownFailure,
} from './failure.js';
import { idleKey } from './idle-key.js';
import type { components, paths } from './openapi.js';

export type Schemas = components['schemas'];

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

const KEY_STRING = /[sm]k-v1-[0-9a-f]{64}/;

const authentication: Middleware = {
  onRequest({ request }) {
    const key = idleKey.read();
    if (KEY_STRING.test(request.url)) throw new Failure('No address may hold a key string.');
    if (key !== null) request.headers.set('Authorization', `Bearer ${key}`);
    return request;
  },
  onError({ request }) {
    return request.method === 'GET' ? undefined : new Failure(CHANGE_NOT_ANSWERED);
  },
};
api.use(authentication);

/** A call of `api`. */
type Call<Value> = Promise<{
  readonly data?: Value;
  readonly error?: unknown;
  readonly response: Response;
}>;

/**
 * Waits for the answer to a call.
 * @throws Failure for every error, also when there is no answer.
 */
export async function answered<Value>(call: Call<Value>): Promise<Answer<NonNullable<Value>>> {
  const key = idleKey.read();
  const { data, error, response } = await call.catch((thrown: unknown) => {
    throw thrownFailure(thrown);
  });
  if (!response.ok) {
    const failure = failureOf(error, response);
    // A late answer is about the key that it was sent with, not about one of a later sign-in.
    if (response.status === 401 && idleKey.read() === key) onKeyLost(failure);
    throw failure;
  }
  const isPage = response.headers.get('Content-Type')?.startsWith('text/html') === true;
  if (data === undefined || data === null || isPage) throw new Failure(NO_KEYLEDGER);
  return { value: data, isStale: isMarkedStale(response.headers) };
}

/** The same for what may not be there: null where nothing has its id, or can have it. */
export async function answeredIfAny<Value>(
  call: Call<Value>,
): Promise<Answer<NonNullable<Value> | null>> {
  try {
    return await answered(call);
  } catch (thrown) {
    const { status, isStale } = thrownFailure(thrown).details;
    if (!isStale && (status === 404 || status === 400)) return { value: null, isStale: false };
    throw thrown;
  }
}
