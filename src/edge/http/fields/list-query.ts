import { Query, type Type } from '@nestjs/common';
import { knownFieldsOf } from './known-fields.js';
import { ShapePipe } from './shape.pipe.js';

/**
 * Passes the validated query of a list to a handler. A parameter that the list does not have is
 * refused, because a filter with a misspelt name must not return everything (docs/api.md 1.5).
 */
export function ListQuery(shape: Type<object>): ParameterDecorator {
  const names = [...knownFieldsOf(shape).keys()];
  return Query(new ShapePipe(shape, 'refused', (name) => unknownParameter(name, names)));
}

function unknownParameter(name: string, names: readonly string[]): string {
  const nearest = nearestTo(name, names);
  const hint =
    nearest === undefined ? `it has ${names.join(', ')}` : `the nearest one is ${nearest}`;
  return `is not a parameter of this list; ${hint}`;
}

/** The least part of their pairs of letters that two near names share. */
const LEAST_LIKENESS = 1 / 6;

/** Returns the name that shares most pairs of letters with a text; undefined if none is near. */
export function nearestTo(text: string, names: readonly string[]): string | undefined {
  const pairs = pairsIn(text);
  const likeness = (name: string): number => {
    const others = pairsIn(name);
    const shared = [...others].filter((pair) => pairs.has(pair)).length;
    return shared / (pairs.size + others.size);
  };
  const [nearest] = names.toSorted((a, b) => likeness(b) - likeness(a));
  return nearest !== undefined && likeness(nearest) >= LEAST_LIKENESS ? nearest : undefined;
}

/** Returns the pairs of letters of a text. Its ends are letters too, as in most slips they stay. */
function pairsIn(text: string): ReadonlySet<string> {
  const letters = ` ${text.toLowerCase()} `;
  return new Set(Array.from({ length: letters.length - 1 }, (_, at) => letters.slice(at, at + 2)));
}
