import type { ComponentChildren } from 'preact';
import { adviceFor, type Failure } from '../api/failure.js';
import type { Loaded } from '../api/use-answer.js';

/** Says why something failed, in the words of the service, with the id of the request. */
export function FailureNote({ of: failure, retry }: { of: Failure; retry?: () => void }) {
  const { issues = [], requestId } = failure.details;
  const advice = adviceFor(failure);
  return (
    <div role="alert" class="note failed">
      <p>
        <strong>{failure.message}</strong> {advice}
      </p>
      {issues.length > 0 && (
        <ul>
          {issues.map(({ path, message }) => (
            <li key={`${path} ${message}`}>
              {path !== '' && <code>{path}</code>} {message}
            </li>
          ))}
        </ul>
      )}
      {requestId !== undefined && (
        <p>
          <small>
            Request <code>{requestId}</code>
          </small>
        </p>
      )}
      {retry && (
        <button type="button" class="secondary" onClick={retry}>
          Try again
        </button>
      )}
    </div>
  );
}

const STALE =
  'The service is catching up, so this may be out of date: recent changes may be missing.';

/** Shows an answer, or that it is loading, or why it failed. */
export function Show<Value>({
  loaded: { answer, failure, isLoading, reload },
  children,
}: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  return (
    <div aria-busy={isLoading && !answer ? 'true' : undefined} class="shown">
      {failure && <FailureNote of={failure} retry={reload} />}
      {isLoading && !answer && <p class="none">Loading…</p>}
      {answer?.isStale && (
        <p role="status" class="note">
          {STALE}
        </p>
      )}
      {answer && <div class={isLoading ? 'waiting' : undefined}>{children(answer.value)}</div>}
    </div>
  );
}

/** Says that there is nothing, and what makes something. */
export function Empty({ children }: { children: ComponentChildren }) {
  return <p class="none">{children}</p>;
}
