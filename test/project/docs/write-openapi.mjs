// Writes docs/openapi.yaml as the built service serves it.
import { writeFileSync } from 'node:fs';
import process from 'node:process';
import { withBuiltService } from './built-service.mjs';

const OPENAPI_YAML = 'docs/openapi.yaml';

await withBuiltService(async (address) => {
  const answer = await globalThis.fetch(`${address}/openapi.yaml`);
  writeFileSync(OPENAPI_YAML, await answer.text());
  process.stdout.write(`${OPENAPI_YAML} is written\n`);
});
