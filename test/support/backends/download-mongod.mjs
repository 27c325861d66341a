import process from 'node:process';
// Downloads a MongoDB server once, and prints the path of the program. If the download fails, it prints the reason.
// Then it does not try again for a while, because each test file asks anew.
import { mkdirSync, readdirSync, readFileSync, statSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { clearTimeout, setTimeout } from 'node:timers';

const CACHE = join(import.meta.dirname, '../../../node_modules/.cache/keyledger');
const GIVEN_UP = join(CACHE, 'no-mongod-to-download.txt');
const GIVEN_UP_FOR_MS = 60 * 60 * 1_000;
const BEGINS_WITHIN_MS = 5_000;

/** @param {string} why */
function giveUp(why) {
  writeFileSync(GIVEN_UP, why);
  process.stderr.write(why);
  process.exit(1);
}

function hasBegun() {
  return readdirSync(CACHE).some(
    (name) => name.endsWith('.downloading') && statSync(join(CACHE, name)).size > 0,
  );
}

mkdirSync(CACHE, { recursive: true });
const before = statSync(GIVEN_UP, { throwIfNoEntry: false });
if (before && Date.now() - before.mtimeMs < GIVEN_UP_FOR_MS) {
  process.stderr.write(
    `${readFileSync(GIVEN_UP, 'utf8')} (tried at ${before.mtime.toISOString()})`,
  );
  process.exit(1);
}

process.env.MONGOMS_MAX_RETRIES ??= '0';
const { MongoBinary } = await import('mongodb-memory-server-core');
const impatience = setTimeout(() => {
  if (!hasBegun()) giveUp(`no download began within ${BEGINS_WITHIN_MS} ms`);
}, BEGINS_WITHIN_MS);
try {
  process.stdout.write(`${await MongoBinary.getPath({ downloadDir: CACHE })}\n`);
} catch (error) {
  giveUp(String(error).replaceAll('\n', ' '));
} finally {
  clearTimeout(impatience);
}
