import { type PipeTransform, type Type } from '@nestjs/common';
import { plainToClassFromExist } from 'class-transformer';
import { validateSync, type ValidationError } from 'class-validator';
import { Refusal } from '../../../kernel/errors.js';
import { holdsKeyString } from '../../../kernel/key-string.js';
import { rulesOf } from './nested-shape.js';
import { NOT_DECODABLE, UNDECODABLE } from './query-string.js';

export interface Issue {
  /** The path of the field in the body or query, such as `external.user`. */
  readonly path: string;
  readonly message: string;
}

/** The maximum number of characters of an unknown field's name in an issue. */
const LONGEST_NAME = 64;
/** The maximum number of issues that a refusal lists. The refusal counts the others. */
const MOST_ISSUES = 100;

/**
 * Validates a body or query by the class-validator rules of a class. Returns an instance with the declared fields only.
 * The pipe converts no types: a string never becomes a number.
 */
export class ShapePipe<Shape extends object> implements PipeTransform<unknown, Shape> {
  readonly #rules: ReturnType<typeof rulesOf>;

  constructor(
    private readonly shape: Type<Shape>,
    private readonly unknownFields: 'ignored' | 'refused' = 'ignored',
  ) {
    this.#rules = rulesOf(shape);
  }

  /** @throws Refusal that names the fields at fault, up to `MOST_ISSUES` of them. */
  transform(value: unknown): Shape {
    const given = isRecord(value) ? value : {};
    const { instance, issues } = judged(this.shape, this.#rules, given, '');
    const all = [...this.#unknown(given), ...issues];
    if (all.length > 0) throw new Refusal('request-invalid', { issues: reported(all) });
    // class-transformer treats an own property `constructor` as a class, so it gets validated fields only.
    return plainToClassFromExist(blank(this.shape), instance);
  }

  /** The names of the declared fields. */
  protected get names(): readonly string[] {
    return [...this.#rules.fields];
  }

  /** Returns the issue of a field that is not declared. The answer never repeats a key string. */
  protected unknown(name: string): Issue {
    const path = holdsKeyString(name) ? '' : name.slice(0, LONGEST_NAME);
    return { path, message: 'is not a field of this request' };
  }

  #unknown(given: object): Issue[] {
    if (this.unknownFields === 'ignored') return [];
    return Reflect.ownKeys(given).flatMap((name) => {
      if (typeof name === 'symbol') return [{ path: '', message: `a name ${NOT_DECODABLE}` }];
      return this.#rules.fields.has(name) ? [] : [this.unknown(name)];
    });
  }
}

type Given = Readonly<Record<string, unknown>>;

/** Makes an instance without initial values. Initial values would fill in fields that the request left out. */
function blank<Shape extends object>(shape: Type<Shape>): Shape {
  return Object.create(shape.prototype as object) as Shape;
}

/** Returns an instance with the declared fields of the input, nested objects included, and the issues of the fields. */
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
  // An undecodable value stays in place, because rules of other fields compare with it.
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
    // The message of a rule begins with the name of the field, and the path has the name already.
    message: message.replace(`${property} `, ''),
  }));
}

/** Returns the issues that an answer lists: the first 100, and one more issue that counts the others. */
function reported(issues: readonly Issue[]): readonly Issue[] {
  const more = issues.length - MOST_ISSUES;
  if (more <= 0) return issues;
  return [...issues.slice(0, MOST_ISSUES), { path: '', message: `has ${more} more faults` }];
}
