import { defineConfig } from 'rolldown';

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
  // A native addon, clients of servers, which are loaded where there is one, what Nest can do without, and class-validator,
  // which @nestjs/swagger requires by its name: the rules of mapped types would be lost between two copies of it.
  external: [
    'class-validator',
    'class-transformer',
    'better-sqlite3',
    '@eventstore/db-client',
    'mongodb',
    /^@nestjs\/(microservices|websockets|platform-fastify)/,
    '@fastify/static',
    'swagger-ui-dist',
  ],
  output: {
    dir: 'dist',
    entryFileNames: '[name].js',
    chunkFileNames: 'chunks/[name].js',
    // Names of classes are tokens of Nest, and stand in logs.
    keepNames: true,
    sourcemap: true,
  },
});
