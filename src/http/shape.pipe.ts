import { type PipeTransform, type Type } from '@nestjs/common';
import { plainToClassFromExist } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { Refusal } from '../kernel/errors.js';
import { rulesOf } from './nested-shape.js';
import { NOT_DECODABLE, UNDECODABLE } from './query-string.js';

export interface Issue {
  /** Where in the body or query the fault is: `external.user`. */
  readonly path: string;
  readonly message: string;
}

/** An issue repeats so many characters of an unknown field's name. */
const LONGEST_NAME = 64;
/** More issues than that are counted. */
const MOST_ISSUES = 100;

/**
 * Checks a body or query against a class of class-validator rules and gives an instance of it that has the
 * declared fields alone. Nothing is coerced: a string is never taken for a number.
 */
export class ShapePipe<Shape extends object> implements PipeTransform<unknown, Shape> {
  readonly #rules: ReturnType<typeof rulesOf>;

  constructor(
    private readonly shape: Type<Shape>,
    private readonly unknownFields: 'ignored' | 'refused' = 'ignored',
  ) {
    this.#rules = rulesOf(shape);
  }

  /** @throws Refusal naming every offending field. */
  transform(value: unknown): Shape {
    const given = isRecord(value) ? value : {};
    const { instance, issues } = judged(this.shape, this.#rules, given, '');
    const all = [...this.#unknown(given), ...issues];
    if (all.length > 0) throw new Refusal('request-invalid', { issues: reported(all) });
    // class-transformer takes a value's own `constructor` for a class, so it sees nothing that has not passed.
    return plainToClassFromExist(blank(this.shape), instance);
  }

  #unknown(given: object): Issue[] {
    if (this.unknownFields === 'ignored') return [];
    return Object.keys(given)
      .filter((field) => !this.#rules.fields.has(field))
      .map((field) => ({
        path: field.slice(0, LONGEST_NAME),
        message: 'is not a field of this request',
      }));
  }
}

type Given = Readonly<Record<string, unknown>>;

/** An instance without the values that the class gives its fields: those would stand for what was not sent. */
function blank<Shape extends object>(shape: Type<Shape>): Shape {
  return Object.create(shape.prototype as object) as Shape;
}

/** An instance of a shape with the declared fields that were given, nested shapes too, and their faults. */
function judged<Shape extends object>(
  shape: Type<Shape>,
  { fields, nested }: ReturnType<typeof rulesOf>,
  given: Given,
  parent: string,
): { instance: Shape; issues: Issue[] } {
  const instance = blank(shape);
  const below: Issue[] = [];
  const present = [...fields].filter((field) => Object.hasOwn(given, field));
  for (const field of present) {
    let content = given[field];
    const inner = nested.get(field);
    if (inner && isRecord(content)) {
      const found = judged(inner, rulesOf(inner), content, `${parent}${field}.`);
      content = found.instance;
      below.push(...found.issues);
    }
    (instance as Record<string, unknown>)[field] = content;
  }
  // An undecodable value stays in place for the rules of other fields that compare theirs with it.
  const errors = validateSync(instance, { stopAtFirstError: true }).filter(
    ({ property }) => instance[property as keyof Shape] !== UNDECODABLE,
  );
  const undecodable = present
    .filter((field) => given[field] === UNDECODABLE)
    .map((field) => ({ path: parent + field, message: NOT_DECODABLE }));
  const issues = errors.flatMap((error) => issuesOf(error, parent));
  return { instance, issues: [...undecodable, ...issues, ...below] };
}

function isRecord(value: unknown): value is Given {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

function issuesOf({ property, constraints = {} }: ValidationError, parent: string): Issue[] {
  return Object.values(constraints).map((message) => ({
    path: parent + property,
    // The message of a rule begins with the name of the field, which the path repeats.
    message: message.replace(`${property} `, ''),
  }));
}

function reported(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - MOST_ISSUES;
  if (more <= 0) return issues;
  return [...issues.slice(0, MOST_ISSUES), { path: '', message: `has ${more} more faults` }];
}
