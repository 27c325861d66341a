import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { IsGivenOnce, MayBeAbsent, rule } from './field-rules.js';

/**
 * A query parameter. A request may leave the parameter out, and must not repeat it.
 * @param field the decorators of its value: the rules and the words for OpenAPI.
 */
export function Parameter(...field: PropertyDecorator[]): PropertyDecorator {
  return applyDecorators(IsGivenOnce(), MayBeAbsent(), ...field, ApiPropertyOptional());
}

/** A query parameter that is `true` or `false`, as text. The default is false. */
export function FlagParameter(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: Boolean, default: false }),
    MayBeAbsent(),
    rule(
      'isBooleanText',
      (value) => value === 'true' || value === 'false',
      'must be given once, as true or false',
    ),
  );
}

/** A query parameter that is one of several words. */
export function ChoiceParameter(description: string, values: readonly string[]): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: String, enum: [...values] }),
    MayBeAbsent(),
    rule(
      'isChoice',
      (value) => typeof value === 'string' && values.includes(value),
      `must be given once, as one of ${values.join(', ')}`,
    ),
  );
}

/** A query parameter of plain decimal digits within bounds, as text. */
export function IntegerParameter(
  description: string,
  { min, max, default: preset }: { min: number; max?: number; default: number },
): PropertyDecorator {
  const bounds = max === undefined ? `of at least ${min}` : `from ${min} to ${max}`;
  return applyDecorators(
    ApiPropertyOptional({
      description,
      type: 'integer',
      minimum: min,
      ...(max !== undefined && { maximum: max }),
      default: preset,
    }),
    MayBeAbsent(),
    rule(
      'isPlainInteger',
      (value) =>
        typeof value === 'string' &&
        /^[0-9]+$/.test(value) &&
        Number(value) >= min &&
        Number(value) <= (max ?? Infinity),
      `must be given once, as a whole number ${bounds} in plain decimal digits`,
    ),
  );
}
