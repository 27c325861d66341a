import { type PipeTransform, type Type } from '@nestjs/common';
import { plainToInstance } from 'class-transformer';
import { getMetadataStorage, validateSync, type ValidationError } from 'class-validator';
import { Refusal } from '../kernel/errors.js';
import { nestedShapesOf } from './nested-shape.js';
import { NOT_DECODABLE, UNDECODABLE } from './query-string.js';

export interface Issue {
  /** Where in the body or query the fault is: `external.user`. */
  readonly path: string;
  readonly message: string;
}

/** A name of a field that is not ours is told up to here. */
const LONGEST_NAME = 64;
/** More issues than that are counted. */
const MOST_ISSUES = 100;

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
    this.#fields = declaredFields(shape);
  }

  /** @throws Refusal naming every offending field. */
  transform(value: unknown): Shape {
    const given = isRecord(value) ? value : {};
    const { instance, issues } = judged(this.shape, this.#fields, given, '');
    const all = [...this.#unknown(given), ...issues];
    if (all.length > 0) throw new Refusal('request-invalid', { issues: told(all) });
    // What has not passed must not come here: class-transformer takes a value's own `constructor` for a class.
    return plainToInstance(this.shape, instance);
  }

  #unknown(given: object): Issue[] {
    if (this.unknownFields === 'ignored') return [];
    return Object.keys(given)
      .filter((field) => !this.#fields.has(field))
      .map((field) => ({
        path: field.slice(0, LONGEST_NAME),
        message: 'is not a field of this request',
      }));
  }
}

type Given = Readonly<Record<string, unknown>>;

/** An instance of a shape with the declared fields that were given, nested shapes too, and what is wrong with them. */
function judged<Shape extends object>(
  shape: Type<Shape>,
  fields: ReadonlySet<string>,
  given: Given,
  parent: string,
): { instance: Shape; issues: Issue[] } {
  const instance = new shape();
  const nestedShapes = nestedShapesOf(shape);
  const below: Issue[] = [];
  const present = [...fields].filter((field) => Object.hasOwn(given, field));
  for (const field of present) {
    let content = given[field];
    const nested = nestedShapes.get(field);
    if (nested && isRecord(content)) {
      const inner = judged(nested, declaredFields(nested), content, `${parent}${field}.`);
      content = inner.instance;
      below.push(...inner.issues);
    }
    (instance as Record<string, unknown>)[field] = content;
  }
  // What stands for a value is there for the rules of other fields, which compare theirs with it.
  const errors = validateSync(instance, { stopAtFirstError: true }).filter(
    ({ property }) => instance[property as keyof Shape] !== UNDECODABLE,
  );
  const undecodable = present
    .filter((field) => given[field] === UNDECODABLE)
    .map((field) => ({ path: parent + field, message: NOT_DECODABLE }));
  const issues = errors.flatMap((error) => issuesOf(error, parent));
  return { instance, issues: [...undecodable, ...issues, ...below] };
}

function declaredFields(shape: Type): ReadonlySet<string> {
  const rules = getMetadataStorage().getTargetValidationMetadatas(shape, '', false, false);
  return new Set(rules.map((rule) => rule.propertyName));
}

function isRecord(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function issuesOf({ property, constraints = {} }: ValidationError, parent: string): Issue[] {
  return Object.values(constraints).map((message) => ({
    path: parent + property,
    // Rules begin their message with the field's name, which the path says already.
    message: message.replace(`${property} `, ''),
  }));
}

function told(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - MOST_ISSUES;
  if (more <= 0) return issues;
  return [...issues.slice(0, MOST_ISSUES), { path: '', message: `has ${more} more faults` }];
}
