import { readdirSync, readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '../../src/app.module.js';
import type { RecordedEvent } from '../../src/event-log/event-log.js';
import { EventRegistry } from '../../src/event-log/event-registry.js';
import { metadataAt } from '../specs/metadata-at.js';

const DIRECTORY = 'test/golden-events';
const files = readdirSync(DIRECTORY).filter((file) => file.endsWith('.json'));

describe('every event version ever stored', () => {
  it.each(files)('%s can still be read, and nothing of it is lost', (file) => {
    const [type = '', version] = file.replace('.json', '').split('.v');
    const data: unknown = JSON.parse(readFileSync(`${DIRECTORY}/${file}`, 'utf8'));
    const stored: RecordedEvent = {
      id: 'id',
      stream: 'stream',
      revision: 0,
      position: '1',
      type,
      version: Number(version),
      data,
      metadata: metadataAt(0),
    };
    expect(new EventRegistry(EVENTS).decode(stored)?.data).toEqual(data);
  });

  it.each(EVENTS)('$type version $version has its golden file', ({ type, version }) => {
    expect(files).toContain(`${type}.v${version}.json`);
  });
});
