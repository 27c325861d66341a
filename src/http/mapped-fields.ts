import type { Type } from '@nestjs/common';
import { ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';

/** The fields of a creation that may be absent; null counts as absent (docs/api.md 3.3). */
export function AbsentableFields<Fields, Name extends keyof Fields>(
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

/** The fields that an update may have: one that is absent stays as it is, and null is a value. */
export function ChangeableFields<Fields, Name extends keyof Fields>(
  fields: Type<Fields>,
  names: readonly Name[],
): Type<Partial<Pick<Fields, Name>>> {
  return PartialType(PickType(fields, names), { skipNullProperties: false });
}
