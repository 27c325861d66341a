/**
 * What a promise resolves with, if that is soon enough. What it stands for goes on all the same.
 * @param late makes the error for when it is not.
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
