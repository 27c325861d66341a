import { type ComponentChildren, createContext, type TargetedSubmitEvent } from 'preact';
import { useContext, useId, useState } from 'preact/hooks';
import { Failure, type Issue, thrownFailure } from '../api/failure.js';
import { FailureNote } from './states.js';

const Issues = createContext<readonly Issue[]>([]);

/**
 * A form that sends a change. When the change fails, it says why and keeps what was typed.
 * @param send makes the change. It throws a Failure.
 */
export function Form({
  title,
  action,
  send,
  isDangerous = false,
  onCancel,
  children,
}: {
  title: string;
  action: string;
  send: () => Promise<void>;
  isDangerous?: boolean;
  onCancel?: (() => void) | undefined;
  children?: ComponentChildren;
}) {
  const [isSending, setSending] = useState(false);
  const [failure, setFailure] = useState<Failure | null>(null);
  const submit = (event: TargetedSubmitEvent<HTMLFormElement>): void => {
    event.preventDefault();
    if (isSending) return;
    setSending(true);
    setFailure(null);
    send()
      .catch((thrown: unknown) => setFailure(thrownFailure(thrown)))
      .finally(() => setSending(false));
  };
  return (
    <form aria-label={title} onSubmit={submit}>
      <Issues.Provider value={failure?.details.issues ?? []}>{children}</Issues.Provider>
      {failure && <FailureNote of={failure} />}
      <div class="actions">
        <button
          type="submit"
          class={isDangerous ? 'dangerous' : undefined}
          aria-disabled={isSending ? 'true' : undefined}
        >
          {action}
        </button>
        {onCancel && (
          <button type="button" class="secondary" onClick={onCancel}>
            Cancel
          </button>
        )}
      </div>
    </form>
  );
}

interface FieldProps {
  label: string;
  /** The name of the field in the API, by which faults of it are found. */
  name?: string;
  hint?: ComponentChildren;
}

/** The label of a field, its hint, and what the service found wrong with it. */
function Labelled({
  label,
  name,
  hint,
  children,
}: FieldProps & { children: (ids: Identified) => ComponentChildren }) {
  const id = useId();
  const issues = useContext(Issues).filter(({ path }) => name !== undefined && path === name);
  const about = `${id}-about`;
  const hasMore = hint !== undefined || issues.length > 0;
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children({
        id,
        'aria-describedby': hasMore ? about : undefined,
        'aria-invalid': issues.length > 0 ? 'true' : undefined,
      })}
      {hasMore && (
        <small id={about}>
          {issues.map(({ message }) => (
            <strong key={message} class="fault">
              {message}{' '}
            </strong>
          ))}
          {hint}
        </small>
      )}
    </div>
  );
}

interface Identified {
  readonly id: string;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
}

interface TextFieldProps extends FieldProps {
  value: string;
  onValue: (value: string) => void;
  type?: 'text' | 'password' | 'datetime-local' | 'date';
  inputMode?: 'decimal' | 'numeric';
}

export function TextField({ value, onValue, type = 'text', inputMode, ...labels }: TextFieldProps) {
  return (
    <Labelled {...labels}>
      {(ids) => (
        <input
          {...ids}
          type={type}
          inputMode={inputMode}
          value={value}
          autocomplete="off"
          spellcheck={false}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

/** Takes several lines of text. */
export function AreaField({ value, onValue, ...labels }: TextFieldProps) {
  return (
    <Labelled {...labels}>
      {(ids) => (
        <textarea
          {...ids}
          rows={3}
          value={value}
          spellcheck={false}
          onInput={({ currentTarget }) => onValue(currentTarget.value)}
        />
      )}
    </Labelled>
  );
}

export function SelectField({
  value,
  onValue,
  options,
  ...labels
}: FieldProps & {
  value: string;
  onValue: (value: string) => void;
  /** The values and what they are called. */
  options: readonly (readonly [value: string, title: string])[];
}) {
  return (
    <Labelled {...labels}>
      {(ids) => (
        <select
          {...ids}
          value={value}
          onChange={({ currentTarget }) => onValue(currentTarget.value)}
        >
          {options.map(([option, title]) => (
            <option key={option} value={option}>
              {title}
            </option>
          ))}
        </select>
      )}
    </Labelled>
  );
}

export function CheckField({
  label,
  value,
  onValue,
}: {
  label: string;
  value: boolean;
  onValue: (value: boolean) => void;
}) {
  return (
    <label class="check">
      <input
        type="checkbox"
        checked={value}
        onChange={({ currentTarget }) => onValue(currentTarget.checked)}
      />
      {label}
    </label>
  );
}

/**
 * Returns the number that was typed; null for an empty field.
 * @param path the field of the API, which is at fault when this is no number. JSON has none such.
 */
export function numberOf(text: string, path: string): number | null {
  if (text.trim() === '') return null;
  const number = Number(text);
  if (Number.isFinite(number)) return number;
  const issues = [{ path, message: 'must be a number, such as 25 or 0.5' }];
  throw new Failure('This is not a number.', { issues });
}
