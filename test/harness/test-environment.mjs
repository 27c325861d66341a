import { TestEnvironment as NodeEnvironment } from 'jest-environment-node';
import { isOpenDatabase, watchDriverObjects } from './driver-objects.mjs';

// An object of better-sqlite3 12 that is collected can abort a process of Node 24 (src/sqlite/open-database.ts says
// why), and at the end of a test file all of its objects are garbage. So they are kept here, outside of what Jest
// gives each file, until the process ends. Goes away with that version of the driver.
const kept = [];
watchDriverObjects((object) => kept.push(object));

/** Jest's environment of Node, in which a test file must close the databases it opened. */
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
    const left = kept.filter(isOpenDatabase);
    for (const database of left) database.close();
    // Would be told instead of what failed, which may well be why they are open.
    if (left.length > 0 && this.#passed) {
      throw new Error(`left open: ${left.map(({ name }) => name).join(', ')}`);
    }
  }
}
