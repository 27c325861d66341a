import { resolve } from 'node:path';
import { describe } from '@jest/globals';
import { onlyWhereInstalled } from '../../support/harness/only-on.js';

/** A folder of `examples` with a gateway in one language. */
export interface Example {
  readonly language: 'Node' | 'Python';
  readonly folder: string;
  readonly program: string;
  /** The path of the API that asks and reports. */
  readonly api: string;
}

function exampleIn(language: Example['language'], program: string, file: string): Example {
  const folder = resolve('examples', `gateway-${language.toLowerCase()}`);
  return { language, folder, program, api: resolve(folder, file) };
}

const NODE = exampleIn('Node', process.execPath, 'protected-api.mjs');
const PYTHON = exampleIn('Python', 'python3', 'protected_api.py');

/** The environment of an example: nothing is written beside its files. */
export function environmentOf(settings: object): Record<string, string> {
  return { PATH: process.env.PATH ?? '', PYTHONDONTWRITEBYTECODE: '1', ...settings };
}

/** Gives each block of code in the guide, with the file that the link before the block names. */
export function blocksOfFiles(guide: string): { file: string; text: string }[] {
  const blocks = guide.matchAll(
    /\]\(\.\.\/\.\.\/(examples\/[\w./-]+\.\w+)\)[^\]]*?^```(?:js|python)\n([^]*?)^```$/gm,
  );
  return [...blocks].map(([, file = '', text = '']) => ({ file, text }));
}

/**
 * Has a suite for the example of each language. Without Python its suite is skipped, with a report.
 */
export function describeEachExample(title: string, suite: (example: Example) => void): void {
  describe(`${title} in Node`, () => suite(NODE));
  onlyWhereInstalled('python3')(`${title} in Python`, () => suite(PYTHON));
}
