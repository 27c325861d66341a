import type { Type } from '@nestjs/common';
import { getMetadataStorage } from 'class-validator';
import { OBJECT_RULE } from './field-rules.js';

/** The fields that a body may have, by name. Of a field with an object: the fields of that. */
export type KnownFields = ReadonlyMap<string, KnownFields | null>;

export interface UnknownField {
  readonly name: string;
  /** The path of the object with the field, such as `external.`; empty for the body. */
  readonly parent: string;
  /** The names of the fields that the object may have. */
  readonly known: readonly string[];
}

export function knownFieldsOf(shape: Type<object>): KnownFields {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const known = new Map<string, KnownFields | null>(
    rules.map(({ propertyName }) => [propertyName, null]),
  );
  for (const { propertyName, name, constraints } of rules) {
    if (name !== OBJECT_RULE) continue;
    const [inner] = constraints as [() => Type<object>];
    known.set(propertyName, knownFieldsOf(inner()));
  }
  return known;
}

/** Yields the fields of a body that are not known, in the order of the body. */
export function* unknownFieldsIn(
  body: object,
  known: KnownFields,
  parent = '',
): Generator<UnknownField, void> {
  const names = [...known.keys()];
  for (const [name, value] of Object.entries(body) as [string, unknown][]) {
    const inner = known.get(name);
    if (inner === undefined) {
      yield { name, parent, known: names };
    } else if (inner && typeof value === 'object' && value !== null && !Array.isArray(value)) {
      yield* unknownFieldsIn(value, inner, `${parent}${name}.`);
    }
  }
}
