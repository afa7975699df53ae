// The console's files as the build left them, read when the first server of a process is created. All addresses of the
// console are one page; its script shows what the address says.

import { readdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { fault } from '../../faults.ts';
import type { Reply } from '../replies/reply.ts';
import { chooseEncoding, type Encoding } from '../requests/accept-encoding.ts';

/** Relative to the built file. */
const FOLDER = fileURLToPath(new URL('../../../console-files/', import.meta.url));

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Only scripts and styles of the console, and requests to this server. */
const policyOf = (images: string, trustedTypes: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'self'",
    `img-src 'self' ${images}`,
    "connect-src 'self'",
    "worker-src 'self'",
    "form-action 'none'",
    "base-uri 'none'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    `trusted-types ${trustedTypes}`,
  ].join('; ');

// Pictures are attachments. The types are of the scripts that run beside the page: one imports and exports
// (console/src/moving/moving-worker.ts), one receives notifications (console/src/notifications/worker.ts).
const POLICY = policyOf('blob:', 'cartulary-worker notifications-worker');

/** The viewer's style sheet has its icons in it, and its sanitizer a policy, which nothing here uses. */
const DOCS_POLICY = policyOf('data:', 'dompurify');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The page names its files by their content, so they never change, and the page has to be asked for. */
const KEPT = 'public, max-age=31536000, immutable';
const ASKED_FOR = 'no-cache';

/** Beside the pages, so that its scope is all of them. */
const WORKER = 'notifications-worker.js';

/** The addresses of the console, docs/console.md. */
const PAGES = [
  '/console',
  '/console/:applicationId',
  '/console/:applicationId/:collectionId',
  '/console/:applicationId/:collectionId/:recordId',
  // Such as people/users/u1234567.
  '/console/:applicationId/:page/:part/:id',
];

/** Its own script looks at the address, as the console's does. */
const DOCS_PAGES = ['/docs', '/docs/:applicationId'];

interface FileRequest {
  readonly headers: { readonly 'accept-encoding'?: string | string[] | undefined };
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface StaticRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly reply: (request: FileRequest) => Reply;
}

let read: readonly StaticRoute[] | undefined;

export function staticRoutes(): readonly StaticRoute[] {
  read ??= readRoutes();
  return read;
}

function readRoutes(): readonly StaticRoute[] {
  // Too short to be worth compressing.
  const page = readReply('index.html', { 'cache-control': ASKED_FOR });
  const docs = readReply('docs.html', { 'cache-control': ASKED_FOR, 'content-security-policy': DOCS_POLICY });
  const assets = readAssets();
  // Browsers look for a new version themselves, and must not find their own copy of the old one.
  const worker = readReply(WORKER, { 'content-type': TYPES.js, 'cache-control': ASKED_FOR });
  return [
    { method: 'GET', path: `/console/${WORKER}`, reply: () => worker },
    ...PAGES.map((path) => ({ method: 'GET' as const, path, reply: () => page })),
    ...DOCS_PAGES.map((path) => ({ method: 'GET' as const, path, reply: () => docs })),
    {
      method: 'GET',
      path: '/console/assets/:file',
      reply: ({ headers: { 'accept-encoding': accepted }, params: { file = '' } }) => {
        const asset = assets.get(file);
        if (asset === undefined) throw fault('NOT_FOUND');
        return asset[chooseEncoding(Array.isArray(accepted) ? accepted.join(', ') : accepted) ?? 'plain'];
      },
    },
  ];
}

/** The ID of the application that visitors without one of their own are led to. */
export type Home = () => Promise<string | undefined>;

interface BareRequest {
  readonly headers: { readonly accept?: string | undefined };
}

/** A person who types the bare address means the console. A program gets the 404 of every unknown path. */
export const toConsole =
  (home: Home) =>
  async ({ headers }: BareRequest): Promise<Reply> => {
    if (headers.accept?.includes('text/html') !== true) throw fault('NOT_FOUND', undefined, { vary: 'Accept' });
    const application = await home();
    const location = application === undefined ? '/console' : `/console?home=${application}`;
    return { status: 302, headers: { location, vary: 'Accept', 'cache-control': 'no-cache' } };
  };

type Asset = Readonly<Record<Encoding | 'plain', Reply>>;

const typeOf = (name: string): string | undefined =>
  Object.entries(TYPES).find(([ending]) => name.endsWith(`.${ending}`))?.[1];

/** By their names. The build leaves two compressed copies beside each. */
function readAssets(): ReadonlyMap<string, Asset> {
  const names = readdirSync(join(FOLDER, 'assets')).filter((name) => typeOf(name) !== undefined);
  return new Map(
    names.map((name) => {
      const headers = { 'cache-control': KEPT, 'content-type': typeOf(name) ?? '', vary: 'Accept-Encoding' };
      return [
        name,
        {
          plain: readReply(`assets/${name}`, headers),
          br: readReply(`assets/${name}.br`, { ...headers, 'content-encoding': 'br' }),
          gzip: readReply(`assets/${name}.gz`, { ...headers, 'content-encoding': 'gzip' }),
        },
      ];
    }),
  );
}

const readReply = (name: string, headers: Readonly<Record<string, string>>): Reply => ({
  status: 200,
  headers: { 'content-type': TYPES.html, ...HEADERS, ...headers },
  body: readFileSync(join(FOLDER, name)),
});
