import type { Type } from '@nestjs/common';
import { ApiPropertyOptional, ApiSchema, PartialType, PickType } from '@nestjs/swagger';
import type { OpenApiSchema } from '../openapi/answer.js';

/** Describes the class of a body as a whole. Its example can be sent as it is. */
export function BodySchema(shape: OpenApiSchema & { readonly example: object }): ClassDecorator {
  return ApiSchema({ ...shape });
}

/** Picks fields that a creation may leave out. Null counts as absent (docs/api.md 3.3). */
export function OptionalFields<Fields, Name extends keyof Fields>(
  fields: Type<Fields>,
  names: readonly Name[],
): Type<{ readonly [Field in Name]?: Fields[Field] | null }> {
  const shape: Type<{ readonly [Field in Name]?: Fields[Field] | null }> = PartialType(
    PickType(fields, names),
  );
  const prototype = shape.prototype as object;
  for (const name of names) ApiPropertyOptional({ nullable: true })(prototype, String(name));
  return shape;
}

/** Picks the fields of an update. An absent field stays unchanged; null is a value. */
export function ChangeableFields<Fields, Name extends keyof Fields>(
  fields: Type<Fields>,
  names: readonly Name[],
): Type<Partial<Pick<Fields, Name>>> {
  return PartialType(PickType(fields, names), { skipNullProperties: false });
}
