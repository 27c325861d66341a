import { TIME, UUID } from '../../support/harness/forms.js';

const KINDS: readonly (readonly [string, RegExp])[] = [
  ['hash', /^[0-9a-f]{64}$/],
  ['key string', /^[sm]k-v1-(?:[0-9a-f]{64}|[0-9a-f]+…)$/],
  ['time', TIME],
  ['user', /^user-[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$/],
  ['uuid', UUID],
];

/** The fields whose values show no kind. */
const KNOWN_BY_FIELD: readonly string[] = ['log_position', 'next_cursor'];

/**
 * Makes answers of two services comparable. A value that differs between services becomes its kind
 * with a number, which is the same wherever the value occurs. Times get no number. Positions and
 * cursors become the names of their fields.
 */
export function comparable(answers: readonly unknown[]): unknown {
  const seen: string[] = [];
  const text = JSON.stringify(answers, (field, value: unknown) => {
    if (typeof value !== 'string') return value;
    if (KNOWN_BY_FIELD.includes(field)) return field;
    const kind = KINDS.find(([, form]) => form.test(value))?.[0];
    if (kind === undefined || kind === 'time') return kind ?? value;
    if (!seen.includes(value)) seen.push(value);
    return `${kind} ${seen.indexOf(value)}`;
  });
  return JSON.parse(text) as unknown;
}
