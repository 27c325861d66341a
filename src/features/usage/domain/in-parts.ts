/** Work of many items, which stops at each `yield`, so that whoever does it can let others have a turn in between. */
export type InParts<Result> = Generator<undefined, Result>;

/** The most items of one part. */
export const PART = 100;
