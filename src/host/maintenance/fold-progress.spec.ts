import { PassThrough } from 'node:stream';
import { describe, expect, it } from '@jest/globals';
import { foldWithProgress } from './fold-progress.js';

describe('a fold of the command line', () => {
  const readSide = { name: 'management', shareBefore: () => Promise.resolve(0.25) };

  /** Folds a quarter of the events. @returns the text that the stream gets. */
  async function shownOn(stream: PassThrough, form: { json?: true } = {}): Promise<string> {
    await foldWithProgress(
      readSide,
      'rebuilding',
      form,
      ({ onProgress }) => {
        onProgress?.('1', 1_000);
        return new Promise(setImmediate);
      },
      stream,
    );
    return String(stream.read() ?? '');
  }

  const terminal = () => Object.assign(new PassThrough({ encoding: 'utf8' }), { isTTY: true });

  it('shows the share, the events and the time left on a terminal', async () => {
    expect(await shownOn(terminal())).toMatch(
      /rebuilding management .*25% \| 1000 events \| \S+ left/,
    );
  });

  it('shows nothing without a terminal, and nothing beside JSON', async () => {
    expect(await shownOn(new PassThrough({ encoding: 'utf8' }))).toBe('');
    expect(await shownOn(terminal(), { json: true })).toBe('');
  });
});
