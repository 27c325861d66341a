import type { ComponentChildren } from 'preact';
import type { Answer } from '../api/client.js';
import { adviceFor, type Failure } from '../api/failure.js';
import { type Loaded, reloadAnswers, useAnswer } from '../api/use-answer.js';
import { Button } from './button.js';

/** Says why something failed, in the words of the service, with the id of the request. */
export function FailureNote(props: { of: Failure; retry?: (() => void) | undefined }) {
  const { of: failure, retry } = props;
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
      {retry && <Button title="Try again" onClick={retry} />}
    </div>
  );
}

const STALE =
  'The service is catching up, so this may be out of date: recent changes may be missing.';

/** Shows an answer, or that it is loading, or why it failed. */
export function Show<Value>(props: {
  loaded: Loaded<Value>;
  children: (value: Value) => ComponentChildren;
}) {
  const { answer, failure, isLoading } = props.loaded;
  return (
    <div aria-busy={isLoading && !answer ? 'true' : undefined}>
      {failure && <FailureNote of={failure} retry={reloadAnswers} />}
      {isLoading && !answer && <p class="none">Loading…</p>}
      {answer?.isStale && (
        <p role="status" class="note">
          {STALE}
        </p>
      )}
      {answer && (
        <div class={isLoading ? 'waiting' : undefined}>{props.children(answer.value)}</div>
      )}
    </div>
  );
}

/** Loads an answer, as `useAnswer` does, and shows it. */
export function Load<Value>(props: {
  of: string;
  by: () => Promise<Answer<Value>>;
  children: (value: Value) => ComponentChildren;
}) {
  return <Show loaded={useAnswer(props.of, props.by)}>{props.children}</Show>;
}
