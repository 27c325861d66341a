import { createRequire } from 'node:module';

// One per process: Jest gives every test file modules of its own, but native ones are loaded by Node itself.
const driver = createRequire(import.meta.url)('better-sqlite3/build/Release/better_sqlite3.node');

/**
 * Tells of every database and every statement that the native half of better-sqlite3 makes in this thread.
 * @param {(object: object) => void} onMade
 */
export function watchDriverObjects(onMade) {
  const { prototype } = driver.Database;
  const { prepare } = prototype;
  // A statement points to the database it is told. The native one is told here instead of the one that callers
  // see, because that leads to its module, and so to everything of the test file that it was loaded for.
  prototype.prepare = function (sql, _database, isPragma) {
    const statement = prepare.call(this, sql, this, isPragma);
    onMade(statement);
    return statement;
  };
  driver.Database = new Proxy(driver.Database, {
    construct(target, args) {
      const database = Reflect.construct(target, args);
      onMade(database);
      return database;
    },
  });
}

/** @param {object} object that the driver made */
export function isOpenDatabase(object) {
  return 'open' in object && object.open;
}
