import { type ArgumentMetadata, type Type, ValidationPipe } from '@nestjs/common';
import * as transformerPackage from 'class-transformer';
import * as validatorPackage from 'class-validator';
import type { ValidationError } from 'class-validator';
import { Refusal } from '../../../kernel/errors.js';
import { holdsKeyString } from '../../../kernel/key-string.js';
import { NOT_DECODABLE, UNDECODABLE } from './query-string.js';

interface Issue {
  /** The path of the field in the body or query, such as `external.user`. */
  readonly path: string;
  readonly message: string;
}

/** The maximum number of characters of an unknown field's name in an issue. */
const LONGEST_NAME = 64;
/** The maximum number of issues that a refusal lists. The refusal counts the others. */
const MOST_ISSUES = 100;
/** The names of fields that class-validator and Nest take for parts of every object, and so never for unknown fields. */
const OF_OBJECTS = new Set(['prototype', ...Object.getOwnPropertyNames(Object.prototype)]);

/** Nest's validation pipe with the errors of docs/api.md 7. It converts no types: a string never becomes a number. */
export class ShapePipe extends ValidationPipe {
  /**
   * @param shape the class whose fields a body or query has.
   * @param unknown whether unknown fields are refused.
   * @param says makes the message about an unknown field.
   */
  constructor(
    shape: Type<object>,
    private readonly unknown: 'ignored' | 'refused' = 'ignored',
    private readonly says = (_name: string) => 'is not a field of this request',
  ) {
    super({
      expectedType: shape,
      transform: true,
      whitelist: true,
      forbidNonWhitelisted: unknown === 'refused',
      stopAtFirstError: true,
      validatorPackage,
      transformerPackage,
      exceptionFactory: (errors: ValidationError[]) =>
        refusal(errors.flatMap((error) => this.#issuesOf(error, ''))),
    });
  }

  /** @throws Refusal that names the fields at fault, up to `MOST_ISSUES` of them. */
  override async transform(value: object, metadata: ArgumentMetadata): Promise<unknown> {
    const unseen = Object.keys(value).filter((name) => OF_OBJECTS.has(name));
    const known = unseen.length > 0 ? without(unseen, value) : value;
    const issues = this.unknown === 'refused' ? this.#issuesOfUnseen(unseen, value) : [];
    if (issues.length === 0) return super.transform(known, metadata);
    try {
      await super.transform(known, metadata);
    } catch (error) {
      if (error instanceof Refusal) issues.push(...(error.details?.['issues'] as Issue[]));
    }
    throw refusal(issues);
  }

  /** Returns the issues of the unknown fields that class-validator does not see. */
  #issuesOfUnseen(unseen: readonly string[], value: object): Issue[] {
    const issues = unseen.map((name) => this.#unknownField(name));
    // The name of a query parameter that does not decode is a symbol.
    if (Object.getOwnPropertySymbols(value).length === 0) return issues;
    return [...issues, { path: '', message: `a name ${NOT_DECODABLE}` }];
  }

  #issuesOf({ property, value, constraints, children }: ValidationError, parent: string): Issue[] {
    if (constraints?.['whitelistValidation'] !== undefined) return [this.#unknownField(property)];
    const path = parent + property;
    const below = children?.flatMap((child) => this.#issuesOf(child, `${path}.`)) ?? [];
    // The rule that a value is an object has a clearer message than what checks the object.
    const { nestedValidation, ...rules } = constraints ?? {};
    const [broken = nestedValidation] = Object.values(rules);
    if (broken === undefined) return below;
    // The message of a rule begins with the name of the field, and the path has the name already.
    const message = broken.replace(`${property} `, '');
    return [{ path, message: value === UNDECODABLE ? NOT_DECODABLE : message }, ...below];
  }

  /** The answer never repeats a key string. */
  #unknownField(name: string): Issue {
    const path = holdsKeyString(name) ? '' : name.slice(0, LONGEST_NAME);
    return { path, message: this.says(name) };
  }
}

function without(names: readonly string[], value: object): object {
  return Object.fromEntries(Object.entries(value).filter(([name]) => !names.includes(name)));
}

/** Lists the first 100 issues, and one more issue that counts the others. */
function refusal(all: readonly Issue[]): Refusal {
  const more = all.length - MOST_ISSUES;
  const counted = more > 0 ? [{ path: '', message: `has ${more} more faults` }] : [];
  return new Refusal('request-invalid', { issues: [...all.slice(0, MOST_ISSUES), ...counted] });
}
