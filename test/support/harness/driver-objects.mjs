import { createRequire } from 'node:module';

// Node loads a native module once for a process. Jest gives every test file other modules of its
// own.
const driver = createRequire(import.meta.url)('better-sqlite3/build/Release/better_sqlite3.node');

/**
 * Calls `onMade` for every database and every statement that the native part of better-sqlite3
 * makes in this thread.
 * @param {(object: object) => void} onMade
 */
export function watchDriverObjects(onMade) {
  const { prototype } = driver.Database;
  const { prepare } = prototype;
  // A statement refers to its database. It gets the native database here: the database that callers
  // see refers to its module, and so to every object of the test file that loaded it.
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

/** @param {object} object an object of the driver */
export function isOpenDatabase(object) {
  return 'open' in object && object.open;
}
