// The pages of the operator and those for designing, with the hostile application of every-page.ts. Its admin is named as an
// operator.

import type { Page } from 'playwright-core';
import { type EveryPage, HOSTILE_NAME, type HostileApplication, MARK } from './every-page.ts';

const operatedAt = ({ app }: HostileApplication, tab = ''): string => `/operate/applications/${app.id}${tab}`;

const DOCUMENT = {
  name: 'document.json',
  mimeType: 'application/json',
  buffer: Buffer.from(JSON.stringify({ name: HOSTILE_NAME, collections: [{ name: HOSTILE_NAME, columns: [] }] })),
};

/** Opens what is published as a design, then a part of it. */
const designed = (part: string, ready: string) => async (page: Page) => {
  await page.locator('.design-present button').first().click();
  await page.getByRole('option').filter({ hasText: MARK }).click();
  await page.locator('.design-present button').last().click();
  await page.locator('.design-main').waitFor();
  if (part !== '') await page.goto(`${page.url()}?part=${part}`);
  await page.locator(ready).filter({ visible: true }).first().waitFor();
};

const design = (name: string, part: string, ready: string): EveryPage => ({
  name,
  path: () => '/design',
  isOutside: true,
  ready: '.design-present button',
  prepare: designed(part, ready),
});

const operated = (name: string, tab: string, ready: string): EveryPage => ({
  name,
  path: (hostile) => operatedAt(hostile, tab),
  isOutside: true,
  ready,
});

export const OPERATOR_PAGES: readonly EveryPage[] = [
  { name: 'applications', path: () => '/operate', isOutside: true, ready: '.operate-table tbody tr' },
  operated('operated application', '', '.use-chart'),
  operated('history of an application', '?tab=history', 'main [role=tabpanel] button'),
  operated('limits of an application', '?tab=quotas', '.operate-table'),
  operated('users of an application', '?tab=users', '.operate-table tbody tr'),
  {
    name: 'publishing',
    path: () => '/operate/publish',
    isOutside: true,
    ready: 'main button',
    prepare: async (page) => {
      await page.locator('input[type=file]').setInputFiles(DOCUMENT);
      await page.getByRole('list').filter({ hasText: HOSTILE_NAME }).first().waitFor();
    },
  },
  { name: 'limits', path: () => '/operate/quotas', isOutside: true, ready: '.operate-table tbody tr' },
  { name: 'organizations', path: () => '/operate/organizations', isOutside: true, ready: 'main section' },
  { name: 'health', path: () => '/operate/health', isOutside: true, ready: '.health-now', isOurs: true },
  {
    name: 'maintenance',
    path: () => '/operate/maintenance',
    isOutside: true,
    ready: 'main section button',
    prepare: async (page) => {
      await page.locator('main section button').first().click();
      await page.getByRole('option').nth(1).waitFor();
    },
  },
  { name: 'designs', path: () => '/design', isOutside: true, ready: '.design-templates', isOurs: true },
  design('design', '', '.design-main [role=row]'),
  design('diagram', 'diagram', '.design-main svg'),
  design('settings of a design', 'application', '.design-main input'),
  design('publishing a design', 'publish', '.design-publish'),
];
