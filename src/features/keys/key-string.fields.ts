import { ApiSchema, PickType } from '@nestjs/swagger';
import { Shown, ShownTime, WholeNumber } from '../../edge/http/fields/field-decorators.js';
import { BodySchema, OptionalFields } from '../../edge/http/fields/mapped-fields.js';
import type { KeyString } from './domain/key-strings.js';

/** The grace of a rotation that names none: a day. */
export const DEFAULT_GRACE_SECONDS = 86_400;
/** 30 days. */
const MOST_GRACE_SECONDS = 2_592_000;

export const STRING_IN_PATH = { name: 'string_hash', description: 'SHA-256 of the string.' };

/** A string of a key as callers see it (docs/api.md 3.11). */
@ApiSchema({ name: 'KeyString' })
export class KeyStringShape {
  @Shown('SHA-256 of the string.', { type: String })
  readonly hash!: string;

  @ShownTime('When the string was added.')
  readonly created_at!: string;

  @ShownTime('When the string ends; null for the one string without an end.', { nullable: true })
  readonly ends_at!: string | null;
}

export function presentString({ hash, created_at, ends_at }: KeyString): KeyStringShape {
  return { hash, created_at, ends_at };
}

class RotationFields {
  @WholeNumber('How long the other strings of the key still live, in seconds.', {
    least: 0,
    most: MOST_GRACE_SECONDS,
  })
  readonly grace_seconds!: number;
}

/** The body of `POST /v1/keys/{hash}/rotate` (docs/api.md 3.11). Unknown fields are refused. */
@BodySchema({ additionalProperties: false, example: { grace_seconds: 3_600 } })
export class RotateKeyRequest extends OptionalFields(RotationFields, ['grace_seconds']) {}

/** The body of `PUT /v1/keys/{hash}/strings/{string_hash}`. Unknown fields are refused. */
@BodySchema({ additionalProperties: false, example: { grace_seconds: 3_600 } })
export class PutStringRequest extends PickType(RotationFields, ['grace_seconds']) {}
