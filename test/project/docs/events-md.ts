import { format, resolveConfig } from 'prettier';
import type { EventDefinition } from '../../../src/kernel/event.js';
import { versionsOf } from '../../support/declared.js';
import { jsonSchemaOf } from '../golden-events/schema-record.js';
import { type Field, fieldsOf } from './field-rows.js';
import { read } from './markdown.js';

export const EVENTS_MD = 'docs/events.md';

const GENERATED = '<!-- From here on written by npm run events. -->';

/** Gives docs/events.md with the table below its mark generated from the schemas of the events. */
export async function eventsMd(definitions: readonly EventDefinition[]): Promise<string> {
  const [byHand, generated] = read(EVENTS_MD).split(GENERATED);
  if (byHand === undefined || generated === undefined)
    throw new Error(`${EVENTS_MD} has lost its mark: ${GENERATED}`);
  const rows = definitions.flatMap((it) => versionsOf(it).reverse().map(rowOf));
  const table = ['| event | version | data |', '|-|-|-|', ...rows].join('\n');
  const document = [byHand.trimEnd(), GENERATED, '## Every event', table].join('\n\n');
  return format(document, { ...(await resolveConfig(EVENTS_MD)), filepath: EVENTS_MD });
}

function rowOf(definition: EventDefinition): string {
  const data = fieldsOf(jsonSchemaOf(definition)).map(fieldText).join('; ');
  return `| \`${definition.type}\` | ${definition.version} | ${data.replaceAll('|', '\\|')} |`;
}

function fieldText({ name, type, required, nullable }: Field): string {
  return `\`${required ? name : `${name}?`}\` ${type}${nullable ? ' or null' : ''}`;
}
