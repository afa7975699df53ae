// The console's files, read once at the start. Nothing but what is in the table is ever served.

import { readFileSync } from 'node:fs';
import type { Answer } from './answer.ts';

/** Beside the sources, three folders up from the built file. */
const FOLDER = new URL('../../../console/', import.meta.url);

const TYPES = {
  html: 'text/html; charset=utf-8',
  css: 'text/css; charset=utf-8',
  js: 'text/javascript; charset=utf-8',
} as const;

/** Its own scripts and styles, its own server, and nothing else. */
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
  readonly answer: () => Answer;
}

const file = (path: string, name: `${string}.${keyof typeof TYPES}`): StaticRoute => {
  const body = readFileSync(new URL(name, FOLDER));
  const type = TYPES[name.slice(name.lastIndexOf('.') + 1) as keyof typeof TYPES];
  const answer = { status: 200, headers: { ...HEADERS, 'content-type': type }, body };
  return { method: 'GET', path, answer: () => answer };
};

export const STATIC_ROUTES: readonly StaticRoute[] = [
  file('/console/resetPassword', 'resetPassword.html'),
  file('/console/resetPassword.css', 'resetPassword.css'),
  file('/console/resetPassword.js', 'resetPassword.js'),
];
