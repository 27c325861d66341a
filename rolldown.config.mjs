import { defineConfig } from 'rolldown';

/** By its name a package of validation has all its modules. By these paths the bundle takes those that are needed. */
const MODULES_OF_VALIDATION = {
  'class-validator': 'class-validator/esm2015/index.js',
  'class-transformer': 'class-transformer/esm2015/index.js',
};

/** What is loaded when a part needs it, or never. */
const EXTERNAL = [
  'better-sqlite3',
  '@eventstore/db-client',
  'mongodb',
  '@fastify/static',
  ...['microservices', 'websockets', 'platform-fastify'].map((name) => `@nestjs/${name}`),
];

/**
 * The mapped types of Nest require these packages when they run, so a bundle would load them beside the modules that it has.
 * The build makes each call an import of the names that mapped types use.
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
      // Source maps hold, as no line moves.
      return { code: changed, map: null };
    },
  },
};

// The service and the command line load some twenty files in place of two and a half thousand modules, which took longer
// than all else that a start does. tsc has compiled them, because decorators need the types of what they are on.
export default defineConfig({
  input: {
    main: 'dist/modules/main.js',
    'projector-thread': 'dist/modules/projector-thread.js',
    'wal-checkpoint-thread': 'dist/modules/wal-checkpoint-thread.js',
    cli: 'dist/modules/cli.js',
  },
  platform: 'node',
  // A native addon, clients of servers, which are loaded where there is one, and what Nest can do without.
  external: (id, importer = '') =>
    EXTERNAL.some((name) => id === name || id.startsWith(`${name}/`)) ||
    // The pipe and the interceptor of Nest would load all of the packages. The service has its own.
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
    // Names of classes are tokens of Nest, and stand in logs.
    keepNames: true,
    sourcemap: true,
  },
});
