/** Whether a caller has left. It refers to no request, which work that goes on would keep. */
export interface Presence {
  readonly hasLeft: boolean;
}

/** Waits for work while a caller does. @throws Refusal when the caller leaves before. */
export type WhilePresent = <Result>(
  work: (presence: Presence) => Promise<Result>,
) => Promise<Result>;

/** The presence of callers who do not leave. */
export const PRESENT: Presence = { hasLeft: false };

export const always: WhilePresent = (work) => work(PRESENT);
