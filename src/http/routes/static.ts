// The console's files as the build left them, read once when the server is created. All addresses of the console are one page;
// its script shows what the address says.

import { readdirSync, readFileSync } from 'node:fs';
import { fault } from '../../faults.ts';
import type { Reply } from '../replies/reply.ts';
import { chooseEncoding, type Encoding } from '../requests/accept-encoding.ts';

/** Relative to the built file. */
const FOLDER = new URL('../../../console/', import.meta.url);

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
  svg: 'image/svg+xml',
} as const;

/** Only scripts and styles of the console, and requests to this server. Pictures are attachments. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "img-src 'self' blob:",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
  "require-trusted-types-for 'script'",
  "trusted-types 'none'",
].join('; ');

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

/** The addresses of the console, docs/console.md. */
const PAGES = [
  '/console',
  '/console/:applicationId',
  '/console/:applicationId/:collectionId',
  '/console/:applicationId/:collectionId/:recordId',
];

interface FileRequest {
  readonly headers: { readonly 'accept-encoding'?: string | string[] | undefined };
  readonly params: Readonly<Record<string, string | undefined>>;
}

export interface StaticRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly reply: (request: FileRequest) => Reply;
}

export function staticRoutes(): readonly StaticRoute[] {
  // Too short to be worth compressing.
  const page = readReply('index.html', { 'cache-control': ASKED_FOR });
  const assets = readAssets();
  return [
    ...PAGES.map((path) => ({ method: 'GET' as const, path, reply: () => page })),
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

/** A person who types the bare address means the console. A program gets the 404 of every unknown path. */
export function toConsole({ headers }: { readonly headers: { readonly accept?: string | undefined } }): Reply {
  if (headers.accept?.includes('text/html') !== true) throw fault('NOT_FOUND', undefined, { vary: 'Accept' });
  return { status: 302, headers: { location: '/console', vary: 'Accept', 'cache-control': 'no-cache' } };
}

type Asset = Readonly<Record<Encoding | 'plain', Reply>>;

const typeOf = (name: string): string | undefined =>
  Object.entries(TYPES).find(([ending]) => name.endsWith(`.${ending}`))?.[1];

/** By their names. The build leaves two compressed copies beside each. */
function readAssets(): ReadonlyMap<string, Asset> {
  const names = readdirSync(new URL('assets/', FOLDER)).filter((name) => typeOf(name) !== undefined);
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
  body: readFileSync(new URL(name, FOLDER)),
});
