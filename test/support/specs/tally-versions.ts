import { z } from 'zod';
import { defineEvent, nextVersionOf } from '../../../src/kernel/event.js';

/** An event whose shape changed twice. Version 3 is the `tallied` of `tally.ts`. */
export const talliedV1 = defineEvent('Tallied', z.object({ count: z.number() }));

export const talliedV2 = nextVersionOf(
  talliedV1,
  z.object({ name: z.string(), count: z.number() }),
  ({ data, metadata }) => ({ ...data, name: metadata.account_id }),
);

export const talliedV3 = nextVersionOf(
  talliedV2,
  z.object({ name: z.string(), amount: z.number() }),
  ({ data: { name, count } }) => ({ name, amount: count }),
);
