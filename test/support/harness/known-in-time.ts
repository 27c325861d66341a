import { FORM } from './backends.js';
import { eventually } from './eventually.js';

/**
 * Twice the second within which a service knows what its log server holds, as the machine has other
 * work.
 */
const KNOWN_WITHIN_MS = 2_000;

/** Tests what is so at once on an embedded log, and within a second on a log server. */
export async function knownInTime(test: () => Promise<void>): Promise<void> {
  if (FORM === 'cluster') {
    const passes = (): Promise<boolean> =>
      test().then(
        () => true,
        () => false,
      );
    await eventually('it is known', passes, KNOWN_WITHIN_MS).catch(() => undefined);
  }
  await test();
}
