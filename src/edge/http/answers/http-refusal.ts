import { Refusal } from '../../../kernel/errors.js';
import type { RefusalCode } from '../../../kernel/refusals.js';

/** A refusal whose answer is not that of its code alone, such as one that says when to retry. */
export class HttpRefusal extends Refusal {
  constructor(
    code: RefusalCode,
    readonly answer: {
      readonly headers: Readonly<Record<string, string>>;
      readonly status?: number;
    },
    details?: Refusal['details'],
  ) {
    super(code, details);
  }
}
