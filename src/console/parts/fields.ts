import { useState } from 'preact/hooks';

type Values = Readonly<Record<string, string | boolean>>;

/** What binds a field of a form to its value. The name is that of the API. */
export interface Bound<Value> {
  readonly name: string;
  readonly value: Value;
  readonly onValue: (value: Value) => void;
}

/**
 * Keeps what is typed into the fields of a form, which have the names of the API.
 * @returns the values; those that differ from before; and what binds a field to its value, as in
 * `<TextField {...field('name')} />`.
 */
export function useFields<Fields extends Values>(before: Fields) {
  const [first] = useState(before);
  const [values, setValues] = useState(before);
  const field = <Name extends keyof Fields & string>(name: Name) => ({
    name,
    value: values[name],
    onValue: (value: Fields[Name]) => setValues((others) => ({ ...others, [name]: value })),
  });
  const differing = Object.entries(values).filter(([name, value]) => first[name] !== value);
  return { values, changed: Object.fromEntries(differing) as Partial<Fields>, field };
}
