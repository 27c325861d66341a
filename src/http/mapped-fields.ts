import type { Type } from '@nestjs/common';
import { ApiPropertyOptional, PartialType, PickType } from '@nestjs/swagger';

/** Picks fields that a creation may leave out. Null counts as absent (docs/api.md 3.3). */
export function AbsentableFields<Fields, Name extends keyof Fields>(
  fields: Type<Fields>,
  names: readonly Name[],
): Type<{ readonly [Field in Name]?: Fields[Field] | null }> {
  const shape = PartialType(PickType(fields, names));
  for (const name of names) ApiPropertyOptional({ nullable: true })(shape.prototype, String(name));
  return shape as Type<{ readonly [Field in Name]?: Fields[Field] | null }>;
}

/** Picks the fields of an update. An absent field stays unchanged; null is a value. */
export function ChangeableFields<Fields, Name extends keyof Fields>(
  fields: Type<Fields>,
  names: readonly Name[],
): Type<Partial<Pick<Fields, Name>>> {
  return PartialType(PickType(fields, names), { skipNullProperties: false });
}
