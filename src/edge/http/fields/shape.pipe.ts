import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import type { ValidationError, ValidatorOptions } from 'class-validator';
import { Refusal } from '../../../kernel/errors.js';
import { containsKeyStringForm } from '../../../kernel/key-string.js';
import { knownFieldsOf } from './known-fields.js';

export interface Issue {
  /** The path of the field in the body or query, such as `external.user`. */
  readonly path: string;
  readonly message: string;
}

/** The maximum number of characters of an unknown field's name in an issue. */
const LONGEST_NAME = 64;
/** The maximum number of issues that a refusal lists. The refusal counts the others. */
const MOST_ISSUES = 100;

/** Nest's validation pipe with the errors of docs/api.md 7. A string never becomes a number. */
export class ShapePipe extends ValidationPipe {
  readonly #fields: ReadonlySet<string>;

  constructor(
    shape: Type<object>,
    private readonly unknown: 'ignored' | 'refused' = 'ignored',
    private readonly says = (_name: string) => 'is not a field of this request',
  ) {
    super({
      expectedType: shape,
      transform: true,
      whitelist: true,
      stopAtFirstError: true,
      validatorPackage,
      transformerPackage,
      exceptionFactory: (errors: ValidationError[]) =>
        invalidRequest(errors.flatMap((error) => issuesOf(error, ''))),
    });
    this.#fields = new Set(knownFieldsOf(shape).keys());
  }

  /** @throws Refusal that names the fields at fault, up to `MOST_ISSUES` of them. */
  override async transform(value: object, metadata: ArgumentMetadata): Promise<unknown> {
    // For class-validator and Nest, names such as `constructor` are parts of every object.
    const known = Object.entries(value).filter(([name]) => this.#fields.has(name));
    const issues = this.unknown === 'refused' ? this.#unknownIn(value) : [];
    try {
      const shaped: unknown = await super.transform(Object.fromEntries(known), metadata);
      if (issues.length === 0) return shaped;
    } catch (error) {
      if (issues.length === 0 || !(error instanceof Refusal)) throw error;
      issues.push(...(error.details?.['issues'] as Issue[]));
    }
    throw invalidRequest(issues);
  }

  /** No rule waits for anything. Promises would only take time. */
  protected override validate(shaped: object, options?: ValidatorOptions): ValidationError[] {
    return validatorPackage.validateSync(shaped, options);
  }

  #unknownIn(value: object): Issue[] {
    const unknown = Object.keys(value).filter((name) => !this.#fields.has(name));
    return unknown.map((name) => ({ path: shownName(name), message: this.says(name) }));
  }
}

/** Returns an unknown name as an issue shows it: no key string, and only what decodes. */
export function shownName(name: string): string {
  return name.isWellFormed() && !containsKeyStringForm(name) ? name.slice(0, LONGEST_NAME) : '';
}

function issuesOf(
  { property, constraints = {}, children = [] }: ValidationError,
  parent: string,
): Issue[] {
  const path = parent + property;
  const below = children.flatMap((child) => issuesOf(child, `${path}.`));
  // The rule that a value is an object has a clearer message than what checks the object.
  const { nestedValidation, ...rules } = constraints;
  const [broken = nestedValidation] = Object.values(rules);
  // The message of a rule begins with the name of the field, and the path has the name already.
  return broken === undefined
    ? below
    : [{ path, message: broken.replace(`${property} `, '') }, ...below];
}

function invalidRequest(all: readonly Issue[]): Refusal {
  return new Refusal('request-invalid', { issues: issuesUpTo(all, (issue) => issue) });
}

/** Lists the issues of the first 100 faults, and one more issue that counts the others. */
export function issuesUpTo<Fault>(
  all: readonly Fault[],
  issueOf: (fault: Fault) => Issue,
): readonly Issue[] {
  const more = all.length - MOST_ISSUES;
  const counted = more > 0 ? [{ path: '', message: `has ${more} more faults` }] : [];
  return [...all.slice(0, MOST_ISSUES).map(issueOf), ...counted];
}
