import { applyDecorators, type Type as Class } from '@nestjs/common';
import { ApiProperty, type ApiPropertyOptions } from '@nestjs/swagger';
import { Type } from 'class-transformer';
import { IsBoolean, IsIn, ValidateIf, ValidateNested } from 'class-validator';
import { isKeyHash } from '../../../kernel/key-string.js';
import { isText, TEXT_MAX_LENGTH, type TextBounds } from '../../../kernel/text.js';
import { isTrackingString, TRACKING_STRING_MAX_LENGTH } from '../../../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../../../kernel/utc-timestamp.js';
import { isUuid } from '../../../kernel/uuid.js';
import { MayBeAbsent, objectRule, rule, textRule } from './field-rules.js';

/**
 * The options of a field's decorator. Each decorator both validates the field and describes it in
 * the OpenAPI document. The description expresses the rule as far as a schema can, with regular
 * expressions that all languages support.
 */
interface FieldOptions {
  /** Whether the field may be null. Default false. */
  readonly nullable?: boolean;
  /** Whether a request may leave the field out. Default false. */
  readonly mayBeAbsent?: boolean;
}

type Schema = ApiPropertyOptions & { readonly description: string };

function field(
  schema: Schema,
  { nullable = false, mayBeAbsent = false }: FieldOptions,
  ...rules: PropertyDecorator[]
): PropertyDecorator {
  const described = { ...schema, required: !mayBeAbsent, ...(nullable && { nullable }) };
  return applyDecorators(
    ApiProperty(described as ApiPropertyOptions),
    ...(nullable ? [ValidateIf((_, value) => value !== null)] : []),
    ...(mayBeAbsent ? [MayBeAbsent()] : []),
    ...rules,
  );
}

const TEXT_PATTERN = '^[^\\x00]*$';
const VISIBLE_TEXT_PATTERN = '^[^\\x00]*[^\\s\\x00\\x85][^\\x00]*$';
/** The pattern of a time in UTC. The format `date-time` would promise every time zone. */
export const UTC_TIMESTAMP_PATTERN = '^\\d{4}-\\d{2}-\\d{2}T\\d{2}:\\d{2}:\\d{2}(\\.\\d+)?Z$';

export const TRACKING_STRING_SCHEMA = {
  type: String,
  minLength: 1,
  maxLength: TRACKING_STRING_MAX_LENGTH,
  pattern: '^[^\\s\\x00\\x85]([^\\x00]*[^\\s\\x00\\x85])?$',
};

export function textSchema({
  min = 1,
  max = TEXT_MAX_LENGTH,
  visible = false,
}: TextBounds): object {
  const pattern = visible ? VISIBLE_TEXT_PATTERN : TEXT_PATTERN;
  return { type: 'string', ...(min > 0 && { minLength: min }), maxLength: max, pattern };
}

function textNoun({ min = 1, max = TEXT_MAX_LENGTH, visible = false }: TextBounds): string {
  const notBlank = visible ? ', not only white space' : '';
  return `${min} to ${max} characters, well-formed Unicode without NUL${notBlank}`;
}

/** Declares a string field without NUL and lone surrogates, of 1 to 512 characters by default. */
export function Text(
  description: string,
  { nullable = false, mayBeAbsent = false, ...bounds }: TextBounds & FieldOptions = {},
): PropertyDecorator {
  return field(
    { description, ...textSchema(bounds) },
    { nullable, mayBeAbsent },
    rule((value) => isText(value, bounds), `must be a string of ${textNoun(bounds)}`),
  );
}

export function Texts(
  description: string,
  items: { readonly min: number; readonly max: number },
  bounds: TextBounds = {},
): PropertyDecorator {
  const { min, max } = items;
  return field(
    {
      description,
      type: 'array',
      items: textSchema(bounds),
      ...(min > 0 && { minItems: min }),
      maxItems: max,
    },
    {},
    rule(
      (value) =>
        Array.isArray(value) &&
        value.length >= min &&
        value.length <= max &&
        value.every((item) => isText(item, bounds)),
      `must be an array of ${min} to ${max} strings of ${textNoun(bounds)}`,
    ),
  );
}

export function KeyHash(description: string): PropertyDecorator {
  return field(
    { description, type: String, pattern: '^[0-9A-Fa-f]{64}$' },
    {},
    textRule((text) => isKeyHash(text.toLowerCase()), 'must be a string of 64 hex digits'),
  );
}

/** The word for every workspace of the account where the id of a workspace may stand. */
export const ALL_WORKSPACES = 'all';

export function WorkspaceOrAll(description: string): PropertyDecorator {
  return field(
    {
      description,
      type: String,
      pattern: `^([0-9A-Fa-f]{8}(-[0-9A-Fa-f]{4}){3}-[0-9A-Fa-f]{12}|${ALL_WORKSPACES})$`,
    },
    {},
    textRule(
      (text) => text === ALL_WORKSPACES || isUuid(text.toLowerCase()),
      `must be a UUID or \`${ALL_WORKSPACES}\``,
    ),
  );
}

export const TRACKING_STRING_RULE = `must be a string of 1 to ${TRACKING_STRING_MAX_LENGTH} characters, well-formed Unicode without NUL and without surrounding white space`;

export function TrackingString(description: string): PropertyDecorator {
  return field(
    { description, ...TRACKING_STRING_SCHEMA },
    {},
    rule(isTrackingString, TRACKING_STRING_RULE),
  );
}

export function UsdAmount(description: string, options: FieldOptions = {}): PropertyDecorator {
  return field(
    { description, type: Number, minimum: 0 },
    options,
    rule(
      (value) => typeof value === 'number' && Number.isFinite(value) && value >= 0,
      'must be a finite number of at least 0',
    ),
  );
}

export function WholeNumber(
  description: string,
  { least, most }: { readonly least: number; readonly most: number },
): PropertyDecorator {
  return field(
    { description, type: 'integer', minimum: least, maximum: most },
    {},
    rule(
      (value) => Number.isInteger(value) && Number(value) >= least && Number(value) <= most,
      `must be an integer from ${least} to ${most}`,
    ),
  );
}

export function Flag(description: string): PropertyDecorator {
  return field({ description, type: Boolean }, {}, IsBoolean());
}

/** Names the values of a list that may grow. As an enumeration, clients would refuse a new one. */
export function openListText(values: readonly string[]): string {
  return `One of ${values.join(', ')}; later releases may add more.`;
}

export function OpenChoice(description: string, values: readonly string[]): PropertyDecorator {
  return field(
    { description: `${description} ${openListText(values)}`, type: String },
    {},
    IsIn(values),
  );
}

/** Declares a field with a value of a fixed list. Clients forget the null of an unnamed list. */
export function Choice(
  name: string,
  description: string,
  values: readonly string[],
  options: FieldOptions = {},
): PropertyDecorator {
  return field({ description, enum: [...values], enumName: name }, options, IsIn(values));
}

export const UTC_TIMESTAMP_RULE =
  'must be a real date and time in the form YYYY-MM-DDTHH:MM:SSZ (seconds are mandatory, fractions allowed)';

export function UtcTimestamp(description: string, options: FieldOptions = {}): PropertyDecorator {
  return field(
    { description, type: String, pattern: UTC_TIMESTAMP_PATTERN },
    options,
    textRule((text) => parseUtcTimestamp(text) !== null, UTC_TIMESTAMP_RULE),
  );
}

export function UtcDate(description: string): PropertyDecorator {
  return field(
    { description, type: String, format: 'date' },
    {},
    textRule(
      (text) => parseUtcTimestamp(`${text}T00:00:00Z`) !== null,
      'must be a real date in the form YYYY-MM-DD',
    ),
  );
}

export function ShownTime(description: string, { nullable = false } = {}): PropertyDecorator {
  return Shown(description, { type: String, format: 'date-time', ...(nullable && { nullable }) });
}

export function Nested(description: string, shape: () => Class): PropertyDecorator {
  // The OpenAPI generator recognises a lazy type by the name `type`.
  return field(
    { description, type: () => shape() },
    {},
    objectRule(shape),
    ValidateNested(),
    Type(shape),
  );
}

export const TEXT_OR_NULL = { type: String, nullable: true };
export const UUID_OR_NULL = { type: String, format: 'uuid', nullable: true };

/** Describes a field that only answers have. The decorator has no rule. */
export function Shown(description: string, schema: ApiPropertyOptions): PropertyDecorator {
  return ApiProperty({ ...schema, description });
}
