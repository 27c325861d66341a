import { describe, expect, it } from '@jest/globals';
import type { CallHandler } from '@nestjs/common';
import { ExecutionContextHost } from '@nestjs/core/helpers/execution-context-host.js';
import { Subject } from 'rxjs';
import { VerificationSlots } from './verification-slots.js';

const MOST_AT_ONCE = 1_000;
const context = new ExecutionContextHost([]);

describe('the verifications in work', () => {
  it('are a thousand at most, and one that ends makes room for another, however it ends', () => {
    const slots = new VerificationSlots();
    const work = Array.from({ length: MOST_AT_ONCE }, () => new Subject());
    const begin = (subject: Subject<unknown>) =>
      slots.intercept(context, { handle: () => subject } satisfies CallHandler);
    const subscribed = work.map((subject) =>
      begin(subject).subscribe({ error: () => undefined, complete: () => undefined }),
    );
    const refused = expect.objectContaining({ code: 'too-many-verifications' });
    const endings = [
      () => work[0]?.complete(),
      () => work[1]?.error(new Error('broken')),
      () => subscribed[2]?.unsubscribe(),
    ];
    for (const end of endings) {
      expect(() => begin(new Subject())).toThrow(refused);
      end();
      begin(new Subject()).subscribe();
    }
    expect(() => begin(new Subject())).toThrow(refused);
  });
});
