import Sequencer from '@jest/test-sequencer';

const LONGEST = /\/(console|drills)\.e2e\.spec\.ts$/;

/**
 * Begins with the suites that take longest, which would otherwise end alone. On a new machine Jest
 * knows no times, and begins with the largest files: those of these suites are small.
 */
export default class LongestFirst extends Sequencer {
  sort(tests) {
    const isLong = ({ path }) => LONGEST.test(path);
    const others = super.sort(tests.filter((test) => !isLong(test)));
    return [...tests.filter(isLong), ...others];
  }
}
