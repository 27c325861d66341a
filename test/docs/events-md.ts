import { format, resolveConfig } from 'prettier';
import { type EventDefinition, versionsOf } from '../../src/kernel/event.js';
import { goldenData, goldenFileOf } from '../golden-events/golden-files.js';
import { jsonSchemaOf } from '../golden-events/schema-record.js';
import { fieldsOf } from './field-rows.js';
import { read, section, tableRows } from './markdown.js';

export const EVENTS_MD = 'docs/events.md';

const GENERATED = '<!-- From here on written by npm run events. -->';

/** Gives docs/events.md with everything below its mark generated from schemas, golden files and docs/api.md. */
export async function eventsMd(definitions: readonly EventDefinition[]): Promise<string> {
  const [byHand, generated] = read(EVENTS_MD).split(GENERATED);
  if (byHand === undefined || generated === undefined)
    throw new Error(`${EVENTS_MD} has lost its mark: ${GENERATED}`);
  const meanings = new Map<string, string>();
  for (const [type = '', meaning = ''] of tableRows(section(read('docs/api.md'), '10 Events')))
    meanings.set(type, meaning);
  const events = definitions.map((it) => {
    const meaning = meanings.get(it.type);
    if (!meaning) throw new Error(`${it.type} has no row in section 10 of docs/api.md`);
    return eventText(it, meaning);
  });
  const document = [byHand.trimEnd(), GENERATED, '## Every event', ...events].join('\n\n');
  return format(document, { ...(await resolveConfig(EVENTS_MD)), filepath: EVENTS_MD });
}

function eventText(definition: EventDefinition, meaning: string): string {
  const versions = versionsOf(definition).reverse();
  const texts = versions.map((version) => versionText(version, definition.version));
  const sentence = meaning.charAt(0).toUpperCase() + meaning.slice(1);
  return [`### ${definition.type}`, `${sentence}.`, ...texts].join('\n\n');
}

function versionText(definition: EventDefinition, current: number): string {
  const { version } = definition;
  const readAs = version === current ? 'current' : `read as version ${current}`;
  const rows = fieldsOf(jsonSchemaOf(definition)).map(
    ({ name, type, required, nullable }) =>
      `| \`${name}\` | ${type.replaceAll('|', '\\|')} | ${yesOrNo(required)} | ${yesOrNo(nullable)} |`,
  );
  return [
    `#### Version ${version}, ${readAs}`,
    ['| field | type | required | may be null |', '|-|-|-|-|', ...rows].join('\n'),
    `\`\`\`json\n${JSON.stringify(goldenData(goldenFileOf(definition)), null, 2)}\n\`\`\``,
  ].join('\n\n');
}

function yesOrNo(it: boolean): string {
  return it ? 'yes' : 'no';
}
