import { defineConfig } from 'rolldown';

/** The bundle imports these entry files. A package of validation by its name would add all its modules. */
const MODULES_OF_VALIDATION = {
  'class-validator': 'class-validator/esm2015/index.js',
  'class-transformer': 'class-transformer/esm2015/index.js',
};

/** Packages that are loaded on demand or never. */
const EXTERNAL = [
  'better-sqlite3',
  '@eventstore/db-client',
  'mongodb',
  '@fastify/static',
  ...['microservices', 'websockets', 'platform-fastify'].map((name) => `@nestjs/${name}`),
];

/**
 * The mapped types of Nest require these packages at run time, so a bundle would have a second copy of their modules.
 * The build replaces each call by an import of the names that mapped types use.
 */
const REQUIRED_BY_MAPPED_TYPES = {
  'class-validator': ['IsOptional', 'ValidateIf', 'getMetadataStorage'],
  'class-transformer': [],
  'class-transformer/cjs/storage': ['defaultMetadataStorage'],
};
const mappedTypesImport = {
  name: 'mapped-types-import',
  transform: {
    filter: { id: /@nestjs\/mapped-types\/dist\/type-helpers/ },
    handler(code) {
      let changed = code;
      for (const [required, names] of Object.entries(REQUIRED_BY_MAPPED_TYPES)) {
        const call = `require('${required}')`;
        if (!changed.includes(call)) this.error(`there is no ${call}`);
        const imported = `import { ${names.join(', ')} } from '${required.replace('cjs', 'esm2015')}';`;
        changed = `${imported} ${changed.replaceAll(call, `({ ${names.join(', ')} })`)}`;
      }
      // No line moves, so the source maps stay correct.
      return { code: changed, map: null };
    },
  },
};

// The service and the command line load some twenty files instead of two and a half thousand modules. Loading those
// took longer than the rest of a start. tsc compiles first, because decorators need the types of their targets.
export default defineConfig({
  input: {
    main: 'dist/modules/main.js',
    'projector-thread': 'dist/modules/projector-thread.js',
    'wal-checkpoint-thread': 'dist/modules/wal-checkpoint-thread.js',
    cli: 'dist/modules/cli.js',
  },
  platform: 'node',
  // A native addon, clients of servers, which are loaded on demand, and packages that Nest does not need.
  external: (id, importer = '') =>
    EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)) ||
    // The pipe and the interceptor of Nest would load both packages whole. The service has its own.
    (id in MODULES_OF_VALIDATION && importer.includes('@nestjs/common')),
  resolve: {
    alias: Object.fromEntries(
      Object.entries(MODULES_OF_VALIDATION).map(([name, module]) => [`${name}$`, module]),
    ),
  },
  plugins: [mappedTypesImport],
  output: {
    dir: 'dist',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // Class names are tokens of Nest and occur in logs.
    keepNames: true,
    sourcemap: true,
  },
});
