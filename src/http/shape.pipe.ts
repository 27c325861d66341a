import { type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { Refusal } from '../kernel/errors.js';
import { NOT_DECODABLE, UNDECODABLE } from './query-string.js';

export interface Issue {
  /** Where in the body or query the fault is: `external.user`. */
  readonly path: string;
  readonly message: string;
}

/**
 * Checks a body or query against a class of class-validator rules and gives an instance of it that has the
 * declared fields alone. Nothing is coerced: a string is never taken for a number.
 */
export class ShapePipe<Shape extends object> implements PipeTransform<unknown, Shape> {
  readonly #fields: ReadonlySet<string>;

  constructor(
    private readonly shape: Type<Shape>,
    private readonly unknownFields: 'ignored' | 'refused' = 'ignored',
  ) {
    const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
    this.#fields = new Set(rules.map((rule) => rule.propertyName));
  }

  /** @throws Refusal naming every offending field. */
  transform(value: unknown): Shape {
    const given = Object.entries(value ?? {});
    const known = given.filter(([field]) => this.#fields.has(field));
    const instance = plainToInstance(this.shape, Object.fromEntries(known));
    // What stands for a value is there for the rules of other fields, which compare theirs with it.
    const errors = validateSync(instance, { stopAtFirstError: true }).filter(
      ({ property }) => instance[property as keyof Shape] !== UNDECODABLE,
    );
    const issues = [
      ...this.#unknown(given.map(([field]) => field)),
      ...undecodable(known),
      ...errors.flatMap((error) => issuesOf(error, '')),
    ];
    if (issues.length > 0) throw new Refusal('request-invalid', { issues });
    return instance;
  }

  #unknown(fields: readonly string[]): Issue[] {
    if (this.unknownFields === 'ignored') return [];
    return fields
      .filter((field) => !this.#fields.has(field))
      .map((path) => ({ path, message: 'is not a field of this request' }));
  }
}

function undecodable(fields: readonly [string, unknown][]): Issue[] {
  return fields
    .filter(([, content]) => content === UNDECODABLE)
    .map(([path]) => ({ path, message: NOT_DECODABLE }));
}

function issuesOf(error: ValidationError, parent: string): Issue[] {
  const path = parent + error.property;
  const own = Object.values(error.constraints ?? {}).map((message) => ({
    path,
    // Rules begin their message with the field's name, which the path says already.
    message: message.replace(`${error.property} `, ''),
  }));
  const nested = (error.children ?? []).flatMap((child) => issuesOf(child, `${path}.`));
  return [...own, ...nested];
}
