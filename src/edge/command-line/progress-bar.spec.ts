import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { progressBar } from './progress-bar.js';

describe('the progress bar', () => {
  const terminal = () => Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });

  it('shows the share, the events, their rate and the time left on a terminal', () => {
    const stream = terminal();
    const bar = progressBar('folding keys', stream);
    bar.update(0.25, 1_000);
    bar.end();
    expect(stream.read()).toMatch(/folding keys .*25% \| 1000 events \| \d+\/s \| \S+ left/);
  });

  it('names the remaining work when all events are folded', () => {
    const stream = terminal();
    const bar = progressBar('folding keys', stream);
    bar.update(1, 1_000);
    bar.end();
    expect(stream.read()).toMatch(/100% \| 1000 events \| \d+\/s \| folded; making indexes/);
  });

  it('shows nothing more once it has ended, and does not keep the process alive', () => {
    const stream = terminal();
    const bar = progressBar('folding keys', stream);
    bar.update(0.25, 1_000);
    bar.end();
    stream.read();
    const before = process.getActiveResourcesInfo();
    bar.update(0.5, 2_000);
    expect(stream.read()).toBeNull();
    expect(process.getActiveResourcesInfo()).toEqual(before);
  });

  it('shows nothing without a terminal', () => {
    const stream = new PassThrough({ encoding: 'utf8' });
    const bar = progressBar('folding keys', stream);
    bar.update(0.25, 1_000);
    bar.end();
    expect(stream.read()).toBeNull();
  });
});
