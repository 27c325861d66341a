import { existsSync, readdirSync, readFileSync } from 'node:fs';
import type { EventDefinition } from '../../../src/kernel/event.js';
import type { SchemaRecord } from './schema-record.js';

const DIRECTORY = 'test/project/golden-events';

/** The file that records the schemas of all versions. */
export const SCHEMAS_FILE = `${DIRECTORY}/schemas.json`;

/** An event as it was once stored. */
export interface GoldenFile {
  readonly file: string;
  readonly type: string;
  readonly version: number;
}

export const GOLDEN_FILES: readonly GoldenFile[] = readdirSync(DIRECTORY).flatMap((file) => {
  const [, type, version] = /^(\w+)\.v(\d+)\.json$/.exec(file) ?? [];
  return type === undefined ? [] : [{ file, type, version: Number(version) }];
});

export function goldenFileOf({ type, version }: EventDefinition): string {
  return `${type}.v${version}.json`;
}

/** @throws when the file is missing, with the content to write. */
export function goldenData(file: string): unknown {
  const path = `${DIRECTORY}/${file}`;
  if (!existsSync(path))
    throw new Error(`write ${path}: the data of such an event, as it is stored`);
  return JSON.parse(readFileSync(path, 'utf8'));
}

export function recordedSchemas(): SchemaRecord {
  return JSON.parse(readFileSync(SCHEMAS_FILE, 'utf8')) as SchemaRecord;
}
