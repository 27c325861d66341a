import { it } from '@jest/globals';

/** A test that only the simulator allows: it kills, it injects a fault, it needs an empty log. Else it says its name. */
export function itOnSimulator(title: string, test: () => Promise<void>, timeoutMs?: number): void {
  if (process.env.TEST_EVENTSTOREDB === undefined) {
    it(title, test, timeoutMs);
    return;
  }
  process.stderr.write(`not run against the server of TEST_EVENTSTOREDB: ${title}\n`);
  it.skip(title, test);
}
