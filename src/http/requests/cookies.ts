// Cookies of the console. All are HttpOnly, and Secure if the public URL is https.

import { SESSION_DAYS_MAX } from '../../domain/people/sessions.ts';

/** Sent to the paths of its application only, and never with requests that another site makes. */
export const SESSION_COOKIE = 'cartulary_session';

export interface CookieScope {
  readonly path: string;
  readonly sameSite: 'Strict' | 'Lax';
  readonly secure: boolean;
  readonly maxAgeSeconds: number;
}

export const writeCookie = (
  name: string,
  value: string,
  { path, sameSite, secure, maxAgeSeconds }: CookieScope,
): string =>
  `${name}=${value}; Path=${path}; Max-Age=${maxAgeSeconds}; HttpOnly; SameSite=${sameSite}${secure ? '; Secure' : ''}`;

/** Undefined if there is no cookie of that name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

/**
 * Sent when a session begins or ends in a browser, whose cache may hold replies for another person. Only the cache is
 * cleared: storage holds only the last application's identifier, and clearing it would unregister service workers.
 */
export const FORGET_CACHED = { 'clear-site-data': '"cache"' } as const;

const DAY_SECONDS = 24 * 60 * 60;

/** `credentials`: the result of `openSession`; undefined removes the cookie. */
export const sessionCookie = (applicationId: string, credentials: string | undefined, publicUrl: string): string =>
  writeCookie(SESSION_COOKIE, credentials ?? '', {
    path: `/v1/${applicationId}`,
    sameSite: 'Strict',
    secure: publicUrl.startsWith('https:'),
    maxAgeSeconds: credentials === undefined ? 0 : SESSION_DAYS_MAX * DAY_SECONDS,
  });
