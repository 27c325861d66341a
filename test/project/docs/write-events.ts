import { writeFileSync } from 'node:fs';
import { EVENTS, versionsOf } from '../../support/declared.js';
import {
  PROJECTIONS_FILE,
  recordedProjections,
  recordOfProjections,
  unraised,
} from '../architecture/projection-record.js';
import { recordedSchemas, SCHEMAS_FILE } from '../golden-events/golden-files.js';
import { breaches, recordOf, unrecorded } from '../golden-events/schema-record.js';
import { EVENTS_MD, eventsMd } from './events-md.js';

/**
 * Records the schemas of new event versions and what raised projections make, and writes
 * docs/events.md. Does nothing if a recorded schema has changed, or what a projection makes without
 * a raised version.
 */
async function run(): Promise<void> {
  const current = recordOf(EVENTS.flatMap(versionsOf));
  const projections = await recordOfProjections();
  const found = [
    ...breaches(recordedSchemas(), current),
    ...unraised(recordedProjections(), projections),
  ];
  if (found.length > 0) throw new Error(`nothing was written:\n${found.join('\n')}`);
  const news = unrecorded(recordedSchemas(), current);
  const document = await eventsMd(EVENTS);
  writeFileSync(SCHEMAS_FILE, `${JSON.stringify(current, null, 2)}\n`);
  writeFileSync(PROJECTIONS_FILE, `${JSON.stringify(projections, null, 2)}\n`);
  writeFileSync(EVENTS_MD, document);
  const schemas = news.length > 0 ? news.join(', ') : 'none is new';
  process.stdout.write(`schemas: ${schemas}; ${PROJECTIONS_FILE} and ${EVENTS_MD} are written\n`);
}

try {
  await run();
} catch (error) {
  process.stderr.write(`${error instanceof Error ? error.message : String(error)}\n`);
  process.exitCode = 1;
}
