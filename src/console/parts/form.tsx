import type { ComponentChildren, TargetedSubmitEvent } from 'preact';
import { useState } from 'preact/hooks';
import { type Failure, thrownFailure } from '../api/failure.js';
import { useRights } from '../frame/who.js';
import { leadToCheck } from '../routing/handed-to-check.js';
import { addressOf, type Filters, go, usePlace } from '../routing/place.js';
import { Button } from './button.js';
import { changesIn, OfForm, valuesIn } from './fields.js';
import { FailureNote } from './states.js';

/** Sends one thing at a time, and keeps why it failed. */
export function useSending() {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const start = (send: () => Promise<unknown>): void => {
    if (isSending) return;
    setSending(true);
    setFailure(null);
    send()
      .catch((thrown: unknown) => setFailure(thrownFailure(thrown)))
      .finally(() => setSending(false));
  };
  return { isSending, failure, start, forget: () => setFailure(null) };
}

/** A form that sends. When that fails, it says why and keeps what was typed. */
export function Form<Changed extends object>(props: {
  title: string;
  action: string;
  /** What the fields have at first, by their names. */
  before?: Readonly<Record<string, unknown>> | undefined;
  /** Sends the fields that were changed, as the API takes them. It throws a Failure. */
  send: (changed: Changed) => Promise<unknown>;
  isDangerous?: boolean;
  onCancel?: () => void;
  children?: ComponentChildren;
}) {
  // What is read again while the form is open does not count as changed in it.
  const [before] = useState(props.before ?? {});
  const { isSending, failure, start } = useSending();
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    const form = event.currentTarget;
    event.preventDefault();
    start(async () => {
      await props.send(changesIn(form) as Changed);
      form.reset();
    });
  };
  const issues = failure?.details.issues ?? [];
  return (
    <form aria-label={props.title} onSubmit={submit}>
      <OfForm.Provider value={{ before, issues }}>{props.children}</OfForm.Provider>
      {failure && <FailureNote of={failure} />}
      <div class="actions">
        <button
          type="submit"
          class={props.isDangerous ? 'dangerous' : undefined}
          aria-disabled={isSending ? 'true' : undefined}
        >
          {props.action}
        </button>
        {props.onCancel && (
          <Button title="Cancel" onClick={props.onCancel} isFocused={props.isDangerous} />
        )}
      </div>
    </form>
  );
}

/** The filters of a list. They go into the address, and what is like a key string does not. */
export function FilterForm(props: { of: Filters; children: ComponentChildren }) {
  const { path } = usePlace();
  const { mayChange } = useRights();
  const show = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    // The fields are made anew for the next address, and the button stays.
    event.submitter?.focus();
    const wanted = Object.entries(valuesIn(event.currentTarget)).map(
      ([name, value]) => [name, value ? String(value).trim() : ''] as const,
    );
    const isKey = wanted.some(([, text]) => leadToCheck(text, mayChange));
    if (!isKey) go(addressOf(path, Object.fromEntries(wanted)));
  };
  return (
    <form class="filters" aria-label="Filters" onSubmit={show}>
      <OfForm.Provider key={addressOf(path, props.of)} value={{ before: props.of, issues: [] }}>
        {props.children}
      </OfForm.Provider>
      <button type="submit" class="secondary">
        Filter
      </button>
    </form>
  );
}
