import { describe, expect, it } from '@jest/globals';
import { EventRegistry } from '../../../src/event-sourcing/event-log/event-registry.js';
import { EVENTS, versionsOf } from '../../support/declared.js';
import { metadataAt } from '../../support/specs/metadata-at.js';
import { GOLDEN_FILES, goldenData, goldenFileOf, recordedSchemas } from './golden-files.js';
import { breaches, recordOf, unrecorded } from './schema-record.js';

const VERSIONS = EVENTS.flatMap(versionsOf);

describe('every event version ever stored', () => {
  const registry = new EventRegistry(EVENTS);

  it.each(GOLDEN_FILES)('$file can still be read, and nothing of it is lost', (golden) => {
    const { file, type, version } = golden;
    const data = goldenData(file);
    const definition = VERSIONS.find((it) => it.type === type && it.version === version);
    expect(definition?.schema.parse(data)).toEqual(data);
  });

  it.each(GOLDEN_FILES)('$file is read in the current version, again and again', (golden) => {
    const { file, type, version } = golden;
    const place = { id: 'id', position: '1', stream: 's', revision: 0 };
    const metadata = metadataAt(0);
    const read = () =>
      registry.decode({ ...place, type, version, data: goldenData(file), metadata });
    const once = read();
    const current = EVENTS.find((definition) => definition.type === type);
    expect(current?.schema.parse(once?.data)).toEqual(once?.data);
    expect(read()).toEqual(once);
  });

  it.each(VERSIONS)('$type version $version has its golden file', (definition) => {
    expect(GOLDEN_FILES.map(({ file }) => file)).toContain(goldenFileOf(definition));
  });
});

describe('the schema of an event version', () => {
  const current = recordOf(VERSIONS);

  it('never changes', () => {
    expect(breaches(recordedSchemas(), current)).toEqual([]);
  });

  it('is recorded (npm run events does that)', () => {
    expect(unrecorded(recordedSchemas(), current)).toEqual([]);
  });
});
