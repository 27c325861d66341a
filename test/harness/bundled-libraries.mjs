import { createHash } from 'node:crypto';
import { existsSync, mkdirSync, mkdtempSync, readFileSync, renameSync, rmSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath, URL } from 'node:url';
import { rolldown } from 'rolldown';

const ROOT = fileURLToPath(new URL('../..', import.meta.url));
const CACHE = 'node_modules/.cache/keyledger';

/** A library is bundled in its own format, because a bundle of the other format has no named exports. */
const LIBRARIES = {
  mjs: [
    ...['common', 'core', 'cqrs', 'platform-express', 'swagger'].map((name) => `@nestjs/${name}`),
    'zod',
  ],
  cjs: ['class-validator', 'express', 'prom-client', 'rxjs', 'rxjs/operators', 'yaml'],
};
const FORMATS = { mjs: 'esm', cjs: 'cjs' };
/** Libraries that must exist once, under each of their paths, and libraries that Nest can do without. */
const APART = [
  'class-transformer',
  'reflect-metadata',
  /^@nestjs\/(microservices|websockets|platform-fastify)/,
  '@fastify/static',
  'swagger-ui-dist',
];

/**
 * Bundles the libraries of most suites once for each package-lock.json. Jest loads every module again for every suite: these
 * are two thousand modules without bundles, and some twenty with them.
 * @returns where Jest finds each library, for `moduleNameMapper`.
 */
export async function bundledLibraries() {
  const hash = createHash('sha256');
  for (const file of [join(ROOT, 'package-lock.json'), fileURLToPath(import.meta.url)])
    hash.update(readFileSync(file));
  const folder = `${CACHE}/libraries-${hash.digest('hex').slice(0, 16)}`;
  if (!existsSync(join(ROOT, folder))) await bundleInto(join(ROOT, folder));
  const places = Object.entries(LIBRARIES).flatMap(([extension, names]) =>
    names.map((name) => [`^${name}$`, `<rootDir>/${folder}/${fileOf(name, extension)}`]),
  );
  return Object.fromEntries(places);
}

/** @param {string} folder appears whole, so that another run of Jest finds all of it or nothing. */
async function bundleInto(folder) {
  mkdirSync(join(ROOT, CACHE), { recursive: true });
  const making = mkdtempSync(`${folder}-`);
  for (const [extension, names] of Object.entries(LIBRARIES)) {
    const ofOtherFormats = Object.values(LIBRARIES).filter((others) => others !== names);
    const bundle = await rolldown({
      cwd: ROOT,
      input: Object.fromEntries(names.map((name) => [name, name])),
      platform: 'node',
      external: [...APART, ...ofOtherFormats.flat()],
    });
    await bundle.write({
      dir: making,
      format: FORMATS[extension],
      entryFileNames: ({ name }) => fileOf(name, extension),
      chunkFileNames: `chunks/[name].${extension}`,
      keepNames: true,
    });
    await bundle.close();
  }
  try {
    renameSync(making, folder);
  } catch (error) {
    rmSync(making, { recursive: true });
    if (!existsSync(folder)) throw error;
  }
}

function fileOf(name, extension) {
  return `${name.replace('@', '').replaceAll('/', '-')}.${extension}`;
}
