import { type ComponentChildren, createContext } from 'preact';
import { useContext, useId } from 'preact/hooks';
import { Failure, type Issue } from '../api/failure.js';
import { plainDecimal } from './money.js';
import { timeForInput, timeFromInput } from './times.js';

/** What a form tells its fields, by their names. */
interface OfForm {
  /** What the fields have at first. */
  readonly before: Readonly<Record<string, unknown>>;
  /** What the service found wrong with them. */
  readonly issues: readonly Issue[];
}

export const OfForm = createContext<OfForm>({ before: {}, issues: [] });

type Control = HTMLInputElement | HTMLSelectElement | HTMLTextAreaElement;

interface FieldProps {
  label: string;
  /** The name of the field in the API. */
  name?: string;
  hint?: ComponentChildren;
}

interface Attributes {
  readonly id: string;
  readonly name: string;
  readonly ref: (control: Control | null) => void;
  readonly 'aria-describedby': string | undefined;
  readonly 'aria-invalid': 'true' | undefined;
}

/** The label of a field, its hint, and what the service found wrong with it. */
function Labelled({
  label,
  name = '',
  hint,
  children,
}: FieldProps & { children: (attributes: Attributes, before: unknown) => ComponentChildren }) {
  const id = useId();
  const form = useContext(OfForm);
  const issues = form.issues.filter(({ path }) => path !== '' && path === name);
  const about = `${id}-about`;
  const hasMore = hint !== undefined || issues.length > 0;
  const attributes: Attributes = {
    id,
    name,
    ref: noteBefore,
    'aria-describedby': hasMore ? about : undefined,
    'aria-invalid': issues.length > 0 ? 'true' : undefined,
  };
  return (
    <div class="field">
      <label for={id}>{label}</label>
      {children(attributes, form.before[name])}
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

interface TextFieldProps extends FieldProps {
  type?: 'text' | 'password' | 'datetime-local' | 'date';
  /** Says that the text is a number. */
  inputMode?: 'decimal';
}

export function TextField({ type = 'text', inputMode, ...labels }: TextFieldProps) {
  return (
    <Labelled {...labels}>
      {(attributes, before) => (
        <input
          {...attributes}
          type={type}
          inputMode={inputMode}
          defaultValue={textFor(before, type)}
          autocomplete="off"
          spellcheck={false}
        />
      )}
    </Labelled>
  );
}

/** Takes a list of texts, each in a line of its own. A text with several would become several. */
export function LinesField({ hint, ...labels }: FieldProps) {
  const texts = useContext(OfForm).before[labels.name ?? ''];
  const isFixed = Array.isArray(texts) && texts.some((text) => /[\r\n]/.test(String(text)));
  return (
    <Labelled
      {...labels}
      hint={isFixed ? 'One of them has a line break, so only the API changes them.' : hint}
    >
      {(attributes, before) => (
        <textarea
          {...attributes}
          rows={3}
          readOnly={isFixed}
          defaultValue={textFor(before)}
          spellcheck={false}
        />
      )}
    </Labelled>
  );
}

interface SelectFieldProps extends FieldProps {
  /** The values and what they are called. What the field has at first is an option too. */
  options: readonly (readonly [value: string, title: string])[];
  /** What the field has at first, where the form does not say it. */
  value?: string;
  onValue?: (value: string) => void;
}

export function SelectField({ options, value, onValue, ...labels }: SelectFieldProps) {
  return (
    <Labelled {...labels}>
      {(attributes, before) => {
        const first = value ?? textFor(before);
        const isKnown = first === '' || options.some(([option]) => option === first);
        const all = isKnown ? options : [...options, [first, first] as const];
        return (
          <select {...attributes} onChange={({ currentTarget }) => onValue?.(currentTarget.value)}>
            {all.map(([option, title]) => (
              <option key={option} value={option} selected={option === first}>
                {title}
              </option>
            ))}
          </select>
        );
      }}
    </Labelled>
  );
}

export function CheckField({ label, name }: { label: string; name: string }) {
  const before = useContext(OfForm).before[name];
  return (
    <label class="check">
      <input
        type="checkbox"
        name={name}
        ref={noteBefore}
        defaultChecked={String(before) === 'true'}
      />
      {label}
    </label>
  );
}

/** The fields of the limit of a key, or of a budget. */
export function LimitFields({ hint }: { hint?: string }) {
  return (
    <>
      <div class="side-by-side">
        <TextField label="Limit, USD" name="limit" inputMode="decimal" hint={hint} />
        <SelectField label="Limit resets" name="limit_reset" options={RESETS} />
      </div>
      <CheckField label="BYOK usage counts toward the limit" name="include_byok_in_limit" />
    </>
  );
}

const RESETS = [
  ['', 'Never'],
  ['daily', 'Daily'],
  ['weekly', 'Weekly'],
  ['monthly', 'Monthly'],
] as const;

export function ExpiryField({ hint = '' }: { hint?: string }) {
  const all = `In your time zone; empty for never${hint}`;
  return <TextField label="Expires" name="expires_at" type="datetime-local" hint={all} />;
}

/** Returns a value of the API as a field has it. */
function textFor(value: unknown, type?: string): string {
  if (Array.isArray(value)) return value.join('\n');
  if (typeof value === 'number') return plainDecimal(value);
  if (typeof value !== 'string') return '';
  return type === 'datetime-local' ? timeForInput(value) : value;
}

/** What somebody typed or chose, as the API takes it. */
type Typed = string | number | boolean | readonly string[] | null;

const isCheck = (control: Control): control is HTMLInputElement => control.type === 'checkbox';

const textIn = (control: Control): string =>
  isCheck(control) ? String(control.checked) : control.value;

function noteBefore(control: Control | null): void {
  if (control) control.dataset.before ??= textIn(control);
}

/** @throws Failure for a text that is no number */
function valueIn(control: Control): Typed {
  if (isCheck(control)) return control.checked;
  if (control.type === 'select-one') return control.value || null;
  if (control.type === 'datetime-local') return timeFromInput(control.value);
  // The service compares texts as they are, so white space around one stays.
  if (control.type === 'textarea') return control.value.split('\n').filter((line) => line.trim());
  return control.inputMode === 'decimal' ? numberIn(control) : control.value;
}

function numberIn({ name, value }: Control): number | null {
  if (value.trim() === '') return null;
  const number = Number(value);
  // JavaScript takes 0x10 for a number too.
  if (!Number.isFinite(number) || /[a-df-z]/i.test(value)) throw noNumber(name);
  return number;
}

/** The failure of a field without a number, of which JSON has no other kinds. */
export function noNumber(path: string): Failure {
  const issues = [{ path, message: 'must be a number, such as 25 or 0.5' }];
  return new Failure('This is not a number.', { issues });
}

const controlsOf = (form: HTMLFormElement): Control[] =>
  [...form.elements].filter((one): one is Control => 'name' in one && one.name !== '');

/** Returns what the fields of a form have. */
export const valuesIn = (form: HTMLFormElement): Record<string, Typed> =>
  Object.fromEntries(controlsOf(form).map((one) => [one.name, valueIn(one)]));

/** Returns what those fields of a form have that somebody changed. */
export function changesIn(form: HTMLFormElement): Record<string, Typed> {
  const changed = controlsOf(form).filter((one) => textIn(one) !== one.dataset.before);
  return Object.fromEntries(changed.map((one) => [one.name, valueIn(one)]));
}
