import { readFileSync } from 'node:fs';
import { expect } from '@jest/globals';
import type { Page } from 'playwright-core';

/** The standards that axe examines pages by. */
const STANDARDS = ['wcag2a', 'wcag2aa', 'wcag21aa', 'wcag22aa'];
const AXE = readFileSync('node_modules/axe-core/axe.min.js', 'utf8');

/** What axe calls incomplete: why it cannot judge, where, and what people saw who looked. */
const LOOKED_AT = [
  {
    rule: 'color-contrast',
    why: 'bgImage',
    on: 'select, input:is([type^=date], [aria-invalid])',
    seen: 'The image is a sign of 15 px inside the padding at the end, where no text stands. Text is 14.7:1 on the colour of the field in light, 12.5:1 in dark.',
  },
  {
    rule: 'color-contrast',
    why: 'emptyValue',
    on: 'input[type=search]',
    seen: 'Text is 14.7:1 in light and 12.5:1 in dark, the placeholder 5.2:1 and 5.1:1.',
  },
  {
    rule: 'color-contrast',
    why: 'emptyValue',
    on: 'input[type=datetime-local]',
    seen: 'The browser writes the form of a time there, in the colour of text: 14.7:1 and 12.5:1.',
  },
] as const;
const occurred = new Set<number>();

/** What passes is left out: to describe it would take most of the time. */
const OPTIONS = {
  runOnly: { type: 'tag', values: STANDARDS },
  resultTypes: ['violations', 'incomplete'],
  elementRef: true,
};
const EXAMINE = `axe.run(document, ${JSON.stringify(OPTIONS)}).then(({ violations, incomplete }) => {
  const lookedAt = ${JSON.stringify(LOOKED_AT)};
  const nodesOf = (rules) => rules.flatMap(({ id, nodes }) => nodes.map((node) => ({ id, ...node })));
  const textOf = ({ id, target, failureSummary }) => id + ' ' + target + ' ' + failureSummary;
  const entryOf = ({ id, element, any }) => lookedAt.findIndex(({ rule, why, on }) =>
    rule === id && any.some(({ data }) => data?.messageKey === why) && element.matches(on));
  const unclear = nodesOf(incomplete);
  return {
    found: nodesOf(violations).map(textOf),
    unclear: unclear.filter((node) => entryOf(node) < 0).map(textOf),
    known: unclear.map(entryOf),
  };
})`;

interface Examined {
  readonly found: readonly string[];
  readonly unclear: readonly string[];
  readonly known: readonly number[];
}

/** Fails when axe finds a fault on a page, or what it cannot judge and nobody looked at. */
export async function expectAccessible(page: Page): Promise<void> {
  if ((await page.evaluate('typeof axe')) === 'undefined') await page.evaluate(AXE);
  for (const colorScheme of ['light', 'dark'] as const) {
    await page.emulateMedia({ colorScheme });
    const { found, unclear, known } = await page.evaluate<Examined>(EXAMINE);
    expect({ colorScheme, found, unclear }).toEqual({ colorScheme, found: [], unclear: [] });
    for (const entry of known) occurred.add(entry);
  }
}

/** Fails when no page had something that people looked at, after all pages were examined. */
export function expectLookedAtOccurred(): void {
  expect(LOOKED_AT.filter((_, entry) => !occurred.has(entry))).toEqual([]);
}
