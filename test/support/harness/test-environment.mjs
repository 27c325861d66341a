import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { AsyncLocalStorage } from 'node:async_hooks';
import { isOpenDatabase, watchDriverObjects } from './driver-objects.mjs';
import { endRunning } from './running-children.mjs';

// Collecting an object of better-sqlite3 12 can abort a process of Node 24
// (src/event-sourcing/sqlite/open-database.ts says why). At the end of a test file all its objects
// are garbage. So this module, which Jest does not reload, keeps them until the process ends. It
// goes with that version of the driver.
const kept = [];
watchDriverObjects((object) => kept.push(object));

// Jest runs the tests of each file in a storage of that file. Until a storage is disabled, Node 20
// copies what it holds into every promise. After a hundred files that took a fifth of the time.
const storages = new Set();
const { run } = AsyncLocalStorage.prototype;
AsyncLocalStorage.prototype.run = function (...args) {
  storages.add(this);
  return run.apply(this, args);
};

/**
 * Jest's environment for Node. A test file must close the databases that it opened, and end the
 * processes that it began.
 */
export default class TestEnvironment extends NodeEnvironment {
  #tests = [];
  #passed = false;

  handleTestEvent({ name, test }, { unhandledErrors }) {
    if (name === 'test_done') this.#tests.push(test);
    if (name !== 'teardown') return;
    this.#passed =
      unhandledErrors.length === 0 && this.#tests.every(({ errors }) => errors.length === 0);
  }

  async teardown() {
    await super.teardown();
    for (const storage of storages) storage.disable();
    storages.clear();
    const open = kept.filter(isOpenDatabase);
    for (const database of open) database.close();
    const left = [...open.map(({ name }) => name), ...endRunning()];
    // This error would hide a failed test, which may be the reason why they are left.
    if (left.length > 0 && this.#passed) throw new Error(`left open: ${left.join(', ')}`);
  }
}
