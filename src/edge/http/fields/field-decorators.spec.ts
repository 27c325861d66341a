import { describe, expect, it } from '@jest/globals';
import { Ajv } from 'ajv';
import { isTrackingString } from '../../../kernel/tracking-string.js';
import { parseUtcTimestamp } from '../../../kernel/utc-timestamp.js';
import { codePoints, isBlank, isCleanText } from '../../../kernel/text.js';
import { textSchema, TRACKING_STRING_SCHEMA, UTC_TIMESTAMP_PATTERN } from './field-decorators.js';

const LONGEST = TRACKING_STRING_SCHEMA.maxLength;

/** The values are well-formed, because a schema cannot detect other faults. */
const TEXTS = [
  '',
  'a',
  ' ',
  ' \t\u3000\u0085\ufeff',
  ' \0 ',
  'a b',
  'a\nb',
  'a\n',
  '\ta',
  '\u00a0a',
  'a\u0085',
  '\u0085',
  '\ufeffa',
  'a\u2028',
  'a\u3000b',
  '\0',
  'a\0b',
  '😀',
  '😀 😀',
  'é\u0301',
  'a'.repeat(LONGEST),
  'a'.repeat(LONGEST + 1),
  '😀'.repeat(LONGEST),
  '😀'.repeat(LONGEST + 1),
];

const TIMES = [
  '2027-01-01T00:00:00Z',
  '2027-01-01T00:00:00.1Z',
  '2027-01-01T00:00:00.123456789Z',
  '2027-01-01T00:00Z',
  '2027-01-01T00:00:00.Z',
  '2027-01-01T00:00:00+00:00',
  '2027-01-01T00:00:00z',
  '2027-01-01t00:00:00Z',
  '2027-01-01 00:00:00Z',
  '2027-01-01',
  ' 2027-01-01T00:00:00Z',
  '2027-01-01T00:00:00Z\n',
];

describe('a schema of a field', () => {
  const ajv = new Ajv({ strict: false, formats: { 'date-time': true } });
  const accepts = (schema: object): ((text: string) => boolean) =>
    ajv.compile<string>({ ...schema, type: 'string' });
  const tracking = accepts(TRACKING_STRING_SCHEMA);
  const text = accepts(textSchema({}));
  const visible = accepts(textSchema({ visible: true }));
  const time = accepts({ pattern: UTC_TIMESTAMP_PATTERN });

  it.each(TEXTS)('takes %j as a tracking string, and as a text, when its rule does', (given) => {
    expect(tracking(given)).toBe(isTrackingString(given));
    const isText = given !== '' && isCleanText(given) && codePoints(given) <= LONGEST;
    expect(text(given)).toBe(isText);
    expect(visible(given)).toBe(isText && !isBlank(given));
  });

  it.each(TIMES)('takes %j as a time when its rule does', (given) => {
    expect(time(given)).toBe(parseUtcTimestamp(given) !== null);
  });
});
