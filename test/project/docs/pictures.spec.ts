import { readFileSync } from 'node:fs';
import { describe, expect, it } from '@jest/globals';
import { read } from './markdown.js';

const MOST_BYTES = 150_000;
const PNG = Buffer.from('\x89PNG', 'latin1');

describe('a picture of the console', () => {
  it.each([
    ['README.md', 'docs/pictures/keys.png', 'docs/pictures/keys.png'],
    ['docs/guides/console.md', '../pictures/key.png', 'docs/pictures/key.png'],
  ])('is in %s, and small', (document, link, file) => {
    expect(read(document)).toMatch(new RegExp(`^!\\[[^\\]]{20,}\\]\\(${link}\\)$`, 'm'));
    const bytes = readFileSync(file);
    expect(bytes.subarray(0, PNG.length)).toEqual(PNG);
    expect(bytes.length).toBeLessThanOrEqual(MOST_BYTES);
  });
});
