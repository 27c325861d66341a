import { it } from '@jest/globals';

/**
 * Defines a test that needs the simulator, because it kills the server, injects a fault or needs an
 * empty log. On another server the test is skipped with a report.
 */
export function itOnSimulator(title: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (process.env.TEST_EVENTSTOREDB === undefined) {
    it(title, test, timeoutMs);
    return;
  }
  process.stderr.write(`not run against the server of TEST_EVENTSTOREDB: ${title}\n`);
  it.skip(title, test);
}
