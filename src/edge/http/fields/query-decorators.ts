import { applyDecorators } from '@nestjs/common';
import { ApiPropertyOptional } from '@nestjs/swagger';
import { parseWhole } from '../../../kernel/text.js';
import { MayBeAbsent, rule, textRule } from './field-rules.js';

/** Declares a query parameter, which a request may leave out and must not repeat. */
export function Parameter(...field: PropertyDecorator[]): PropertyDecorator {
  // If several rules are broken, the last declared one is reported, which is this one.
  const isGivenOnce = rule((value) => !Array.isArray(value), 'must be given once');
  return applyDecorators(isGivenOnce, MayBeAbsent(), ...field, ApiPropertyOptional());
}

export function FlagParameter(description: string): PropertyDecorator {
  return applyDecorators(
    ApiPropertyOptional({ description, type: Boolean, default: false }),
    MayBeAbsent(),
    rule((value) => value === 'true' || value === 'false', 'must be given once, as true or false'),
  );
}

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
    textRule(
      (text) => parseWhole(text, min, max) !== undefined,
      `must be given once, as a whole number ${bounds} in plain decimal digits`,
    ),
  );
}
