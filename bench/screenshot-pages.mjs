// @ts-check
// The pages of the console that are pictured, and how each is brought into the state that a picture is worth.

/**
 * @typedef {import('../demo/load.ts').LoadedDemonstration} Demonstration
 * @typedef {import('../src/wire/applications.ts').Application} Application
 *
 * @typedef {object} Scene
 * @property {Demonstration} demo
 * @property {(collection: string, column?: string) => string} id of a collection, or of one of its columns
 *
 * @typedef {object} PictureOf
 * @property {string} name of the files
 * @property {(scene: Scene) => string} path below the application's address
 * @property {string} ready what has to be on the page, as a selector
 * @property {(page: import('playwright-core').Page, scene: Scene) => Promise<unknown>} [prepare] done before the picture is taken
 * @property {boolean} [signedOut]
 * @property {Date | null} [now] what the browser takes for now, where it is not `TODAY`; null: the real time
 */

/** Dates of the demonstration lie before this day, and the browsers believe that it is today. */
export const TODAY = new Date('2026-11-16T09:41:00+09:00');

const CSV = `Name,Code,Kind,Floors,Opened
港南フロントビル,KNF-01,Office,18,2014-04-01
Shinonome Depot,SND-02,Warehouse,3,1998-10-12
中之島アネックス,NKA-07,Office,eleven,2021-06-30
Sumida Care Home,SCH-04,Hospital,5,2009-02-16
`;

/** @type {readonly PictureOf[]} */
export const PAGES = [
  { name: 'sign-in', path: () => '', ready: 'input[type=password]', signedOut: true },
  // Before the pages whose pictures would be in it. The server writes the log, by its own clock.
  {
    name: 'activity',
    path: () => '/activity',
    ready: '.activity-row',
    prepare: (page) => page.locator('.activity-charts .recharts-surface').first().waitFor(),
    now: null,
  },
  { name: 'grid', path: ({ id }) => `/${id('Visits')}`, ready: '.grid-row .grid-cell-link' },
  {
    name: 'search',
    path: ({ id }) => `/${id('Visits')}?search=Passed:false`,
    ready: '.grid-row .grid-cell-link',
  },
  { name: 'record', path: ({ id, demo }) => `/${id('Visits')}/${demo.recordId}`, ready: '.record-sheet' },
  { name: 'form', path: ({ id, demo }) => `/${id('Visits')}/${demo.recordId}?edit=true`, ready: '.record-sheet input' },
  { name: 'cards', path: ({ id }) => `/${id('Photos')}?view=cards`, ready: '.card img' },
  {
    name: 'calendar',
    path: ({ id }) => `/${id('Visits')}?view=calendar&by=${id('Visits', 'Next visit')}`,
    ready: '.day',
  },
  {
    name: 'board',
    path: ({ id }) => `/${id('Visits')}?view=board&by=${id('Visits', 'Inspector')}`,
    ready: '.board-card',
  },
  { name: 'map', path: ({ id }) => `/${id('Sites')}?view=map`, ready: '.marker' },
  {
    name: 'chart',
    path: ({ id }) =>
      `/${id('Visits')}?view=chart&by=${id('Visits', 'Started')}:month&measure=sum:${id('Visits', 'Minutes')}`,
    ready: '.recharts-surface',
  },
  {
    name: 'import',
    path: ({ id }) => `/${id('Sites')}/import`,
    ready: 'main button',
    prepare: async (page) => {
      const file = { name: 'new-sites.csv', mimeType: 'text/csv', buffer: Buffer.from(CSV) };
      await page.locator('input[type=file]').setInputFiles(file);
      await page.getByRole('table').first().waitFor();
    },
  },
  { name: 'people', path: () => '/people', ready: '.people-rows a' },
  { name: 'person', path: ({ demo }) => `/people/users/${demo.userId}`, ready: '.person-head' },
  { name: 'oneself', path: () => '/me', ready: 'main h1' },
  { name: 'notifications', path: () => '/notifications', ready: 'main [role=combobox]' },
  {
    name: 'palette',
    path: ({ id }) => `/${id('Visits')}`,
    ready: '.grid-row .grid-cell-link',
    prepare: async (page) => {
      await page.keyboard.press('Control+k');
      await page.getByRole('dialog').getByRole('textbox').waitFor();
    },
  },
];
