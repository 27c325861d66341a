/**
 * Waits for a promise, but not longer than a limit, which does not stop the work behind it.
 * @throws the error of the promise, or the error from `late` after the limit.
 */
export async function inTime<Result>(
  promise: Promise<Result>,
  withinMs: number,
  late = () => new Error(`no answer within ${withinMs} ms`),
): Promise<Result> {
  let timer: NodeJS.Timeout | undefined;
  const tooLate = new Promise<never>((_, reject) => {
    timer = setTimeout(() => reject(late()), withinMs);
  });
  try {
    return await Promise.race([promise, tooLate]);
  } finally {
    clearTimeout(timer);
  }
}
