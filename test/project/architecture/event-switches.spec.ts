import { readdirSync, readFileSync } from 'node:fs';
import { expect, it } from '@jest/globals';

const SWITCH = /^( *)switch \((?:event\.)?type\) \{$[^]*?^\1\}$/gm;

const switches = readdirSync('src', { recursive: true, encoding: 'utf8' })
  .filter((file) => /(\/domain\/|\.projection\.ts$)/.test(file) && !file.endsWith('.spec.ts'))
  .flatMap((file) =>
    [...readFileSync(`src/${file}`, 'utf8').matchAll(SWITCH)].map(([text]) => [file, text]),
  );

it.each(switches)(
  'a switch over events in %s does not compile without a case for each event',
  (_, text) => {
    expect(text).toContain('satisfies never');
  },
);
