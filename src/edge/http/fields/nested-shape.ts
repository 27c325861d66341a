import type { Type } from '@nestjs/common';
import { buildMessage, getMetadataStorage, ValidateBy } from 'class-validator';

const NAME = 'isShape';

/** Declares a field that holds an object. ShapePipe checks the object by the rules of the class `shape()`. */
export function IsShape(shape: () => Type): PropertyDecorator {
  return ValidateBy({
    name: NAME,
    constraints: [shape],
    validator: {
      validate: (value) => typeof value === 'object' && value !== null && !Array.isArray(value),
      defaultMessage: buildMessage((each) => `${each}$property must be an object`),
    },
  });
}

/** Returns the fields of a class that have rules, and the nested classes by field. Mapped types inherit the rules. */
export function rulesOf(shape: Type): {
  readonly fields: ReadonlySet<string>;
  readonly nested: ReadonlyMap<string, Type>;
} {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  const nested = rules
    .filter(({ name }) => name === NAME)
    .map(({ propertyName, constraints }) => {
      const [inner] = constraints as [() => Type];
      return [propertyName, inner()] as const;
    });
  return {
    fields: new Set(rules.map(({ propertyName }) => propertyName)),
    nested: new Map(nested),
  };
}
