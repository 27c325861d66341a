/** Work of many items that stops at each `yield`, where whoever does it can give others a turn. */
export type InParts<Result> = Generator<undefined, Result>;

/** The most items of one part. */
export const PART = 100;
