import { Refusal } from '../../../kernel/errors.js';
import type { RefusalCode } from '../../../kernel/refusals.js';

/** What the answer to one refusal has besides what `ERROR_TABLE` has for its code. */
interface OwnAnswer {
  readonly headers: Readonly<Record<string, string>>;
  /** The status, if it is not that of the table. */
  readonly status?: number;
  readonly details?: Refusal['details'];
}

export class HttpRefusal extends Refusal {
  constructor(
    code: RefusalCode,
    readonly answer: OwnAnswer,
  ) {
    super(code, answer.details);
  }
}
