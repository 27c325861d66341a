/**
 * Waits for a promise for a limited time. The work behind the promise goes on after the limit.
 * @param late makes the error of a promise that takes longer.
 * @returns the value of the promise.
 * @throws the error of the promise, or the error of `late` after the limit.
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
