import { Refusal } from '../../../kernel/errors.js';
import type { RefusalCode } from '../../../kernel/refusals.js';

/** What the answer to a refusal has besides, or instead of, what the table has for its code. */
interface OwnAnswer {
  readonly headers: Readonly<Record<string, string>>;
  readonly status?: number;
}

/** A refusal whose answer is not that of its code alone, such as one that says when to retry. */
export class HttpRefusal extends Refusal {
  constructor(
    code: RefusalCode,
    readonly answer: OwnAnswer,
    details?: Refusal['details'],
  ) {
    super(code, details);
  }
}
