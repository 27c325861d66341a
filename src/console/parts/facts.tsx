import type { ComponentChildren } from 'preact';

/** A field of a record with its value; false for one that is left out. */
type Fact = readonly [name: string, value: ComponentChildren] | false;

/** The fields of a record with their values, under each other. */
export function Facts({ of: facts }: { of: readonly Fact[] }) {
  return (
    <dl>
      {facts.map(
        (fact) =>
          fact && (
            <div key={fact[0]}>
              <dt>{fact[0]}</dt>
              <dd>{fact[1]}</dd>
            </div>
          ),
      )}
    </dl>
  );
}
