import type { ComponentChildren } from 'preact';

/** The fields of a record with their values, under each other. */
export function Facts({
  of: facts,
}: {
  of: readonly (readonly [name: string, value: ComponentChildren])[];
}) {
  return (
    <dl>
      {facts.map(([name, value]) => (
        <div key={name}>
          <dt>{name}</dt>
          <dd>{value}</dd>
        </div>
      ))}
    </dl>
  );
}
