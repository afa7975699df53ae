// What axe finds on a page that keeps people from using it. It is slow with many elements: few records are as telling.

import assert from 'node:assert/strict';
import axe, { type RunOptions } from 'axe-core';
import type { Page } from 'playwright-core';

interface Finding {
  readonly id: string;
  readonly impact: string;
  /** The first element that it is found at. */
  readonly html: string;
}

/** All that depends on colours; the other rules are the same in each theme, and these in each language. */
const COLOURS = ['color-contrast', 'link-in-text-block'];
/** None of these is serious, and they look at every element. */
const SMALL = ['region', 'identical-links-same-purpose', 'landmark-unique', 'heading-order', 'focus-order-semantics'];
const without = (rules: readonly string[]) => Object.fromEntries(rules.map((rule) => [rule, { enabled: false }]));

const LOOKS = {
  whole: { rules: without(SMALL) },
  colours: { runOnly: COLOURS },
  structure: { rules: without([...SMALL, ...COLOURS]) },
} as const satisfies Record<string, RunOptions>;

async function findings(page: Page, part: string, look: keyof typeof LOOKS): Promise<string[]> {
  // The page keeps it as long as it is not loaded anew.
  if (!(await page.evaluate('"axe" in window'))) await page.evaluate(axe.source);
  // To name every element that is as it should be takes longer than to find the others.
  const options = JSON.stringify({ ...LOOKS[look], resultTypes: ['violations'], iframes: false });
  const found = await page.evaluate<Finding[]>(`axe.run(${JSON.stringify(part)}, ${options}).then(({ violations }) =>
    violations.map(({ id, impact, nodes: [{ html }] }) => ({ id, impact, html })))`);
  return found
    .filter(({ impact }) => impact === 'serious' || impact === 'critical')
    .map(({ id, html }) => `${id}: ${html}`);
}

/** `part`: a selector of what is looked at, for menus and dialogs over a page that another test looks at. */
export const seriousFindings = (page: Page, part = 'html'): Promise<string[]> => findings(page, part, 'whole');

const THEMES = ['light', 'dark'] as const;
const LANGUAGES = ['en', 'ja'] as const;

/** Changes the language of the page as another tab does in which somebody chooses it. */
async function speak(page: Page, language: (typeof LANGUAGES)[number]): Promise<void> {
  await page.evaluate(`localStorage.setItem('cartulary.language', '${language}');
    dispatchEvent(new StorageEvent('storage', { key: 'cartulary.language' }))`);
  await page.locator(`html[lang=${language}]`).waitFor({ state: 'attached' });
}

/** The colours in both themes and the rest in both languages, without loading the page anew. `also` is done in each language. */
export async function findingsForAll(page: Page, also?: () => Promise<string[]>): Promise<string[]> {
  const found: string[] = [];
  for (const colorScheme of THEMES) {
    await page.emulateMedia({ colorScheme, reducedMotion: 'reduce' });
    found.push(...(await findings(page, 'html', 'colours')).map((one) => `${colorScheme}: ${one}`));
  }
  // Those who speak Japanese are followed by those who speak English, which the tests read.
  for (const language of [...LANGUAGES].reverse()) {
    await speak(page, language);
    const all = [...(await findings(page, 'html', 'structure')), ...((await also?.()) ?? [])];
    found.push(...all.map((one) => `${language}: ${one}`));
  }
  return found;
}

/** `where`: what is said to be at fault. */
export async function assertUsable(page: Page, where: string): Promise<void> {
  assert.deepEqual(await findingsForAll(page), [], where);
}
