import { describe, expect, it } from '@jest/globals';
import { parseTraceparent } from './trace-context.js';

const TRACE = '4bf92f3577b34da6a3ce929d0e0e4736';
const SPAN = '00f067aa0ba902b7';

describe('a traceparent', () => {
  it.each([
    ['of version 00', `00-${TRACE}-${SPAN}-01`],
    ['with flags that are not known', `00-${TRACE}-${SPAN}-ff`],
    ['of a later version', `01-${TRACE}-${SPAN}-00`],
    ['of a later version with more behind it', `cc-${TRACE}-${SPAN}-01-what-comes`],
    ['of a later version with a dash behind it', `fe-${TRACE}-${SPAN}-01-`],
  ])('%s gives the ids of the trace and of the span', (_, value) => {
    expect(parseTraceparent(value)).toEqual({ trace_id: TRACE, span_id: SPAN });
  });

  it.each([
    ['without content', ''],
    ['of version ff', `ff-${TRACE}-${SPAN}-01`],
    ['of version 00 with more behind it', `00-${TRACE}-${SPAN}-01-x`],
    ['of version 00 with a dash behind it', `00-${TRACE}-${SPAN}-01-`],
    ['of a later version with more behind it and no dash', `01-${TRACE}-${SPAN}-01x`],
    ['with a trace of zeros', `00-${'0'.repeat(32)}-${SPAN}-01`],
    ['with a span of zeros', `00-${TRACE}-${'0'.repeat(16)}-01`],
    ['in capitals', `00-${TRACE.toUpperCase()}-${SPAN}-01`],
    ['with a short trace', `00-${TRACE.slice(1)}-${SPAN}-01`],
    ['with a long span', `00-${TRACE}-${SPAN}0-01`],
    ['without flags', `00-${TRACE}-${SPAN}`],
    ['with flags of one digit', `00-${TRACE}-${SPAN}-1`],
    ['that is given twice', `00-${TRACE}-${SPAN}-01, 00-${TRACE}-${SPAN}-01`],
    ['with a digit that is none', `00-${TRACE.slice(1)}g-${SPAN}-01`],
  ])('%s is passed over', (_, value) => {
    expect(parseTraceparent(value)).toBeUndefined();
  });
});
