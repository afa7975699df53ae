// The console's files, read once when the server is created. Only the files of this table are served.

import { readFileSync } from 'node:fs';
import { fault } from '../../faults.ts';
import type { Reply } from '../replies/reply.ts';

/** Relative to the built file. */
const FOLDER = new URL('../../../../console/', import.meta.url);

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/** Only scripts and styles of the console, and requests to this server. */
const POLICY = [
  "default-src 'none'",
  "script-src 'self'",
  "style-src 'self'",
  "connect-src 'self'",
  "form-action 'none'",
  "base-uri 'none'",
  "frame-ancestors 'none'",
].join('; ');

const HEADERS = {
  'content-security-policy': POLICY,
  'x-content-type-options': 'nosniff',
  'referrer-policy': 'no-referrer',
  'cross-origin-opener-policy': 'same-origin',
  'cross-origin-resource-policy': 'same-origin',
  'cache-control': 'no-cache',
} as const;

export interface StaticRoute {
  readonly method: 'GET';
  readonly path: string;
  readonly file: `${string}.${keyof typeof TYPES}`;
}

export const STATIC_ROUTES: readonly StaticRoute[] = [
  { method: 'GET', path: '/console', file: 'console.html' },
  // The `url` of a definition.
  { method: 'GET', path: '/console/:applicationId', file: 'console.html' },
  { method: 'GET', path: '/console/console.js', file: 'console.js' },
  { method: 'GET', path: '/console/page.css', file: 'page.css' },
  { method: 'GET', path: '/console/page.js', file: 'page.js' },
  { method: 'GET', path: '/console/resetPassword', file: 'resetPassword.html' },
  { method: 'GET', path: '/console/resetPassword.js', file: 'resetPassword.js' },
];

/** A person who types the bare address means the console. A program gets the 404 of every unknown path. */
export function toConsole({ headers }: { readonly headers: { readonly accept?: string | undefined } }): Reply {
  if (headers.accept?.includes('text/html') !== true) throw fault('NOT_FOUND', undefined, { vary: 'Accept' });
  return { status: 302, headers: { location: '/console', vary: 'Accept', 'cache-control': 'no-cache' } };
}

/** The reply of the route, for the life of the server. */
export function loadStatic({ file }: StaticRoute): Reply {
  const body = readFileSync(new URL(file, FOLDER));
  const type = TYPES[file.slice(file.lastIndexOf('.') + 1) as keyof typeof TYPES];
  return { status: 200, headers: { ...HEADERS, 'content-type': type }, body };
}
