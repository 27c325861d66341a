/** Work on many items that pauses at each `yield`, so that its caller can give others a turn. */
export type InParts<Result> = Generator<undefined, Result>;

/** The most items of one part. */
export const PART = 100;
