import { describe, expect, it } from '@jest/globals';
import { EVENTS } from '../../support/declared.js';
import { EVENTS_MD, eventsMd } from './events-md.js';
import { read } from './markdown.js';

describe('docs/events.md', () => {
  it('is what the schemas and golden files say (npm run events writes it)', async () => {
    expect(read(EVENTS_MD)).toBe(await eventsMd(EVENTS));
  });
});
