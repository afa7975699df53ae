// Cookies of the console. Every one is for this server alone: HttpOnly, and Secure wherever people reach it by https.

import { SESSION_DAYS_MAX } from '../../domain/people/sessions.ts';

/** Sent to the addresses of its application only, and never along with what another site asks for. */
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

/** Undefined when there is none of the name. */
export function readCookie(header: string | undefined, name: string): string | undefined {
  for (const part of header?.split(';') ?? []) {
    const equals = part.indexOf('=');
    if (equals !== -1 && part.slice(0, equals).trim() === name) return part.slice(equals + 1).trim();
  }
  return undefined;
}

/**
 * Goes along with every session that begins or ends in a browser: what it has cached may be of another person. Nothing but
 * the cache: storage holds no more than the last application's identifier, and clearing it would unregister service workers.
 */
export const FORGET_CACHED = { 'clear-site-data': '"cache"' } as const;

const DAY_SECONDS = 24 * 60 * 60;

/** `credentials`: what `openSession` gives; undefined takes the cookie away. */
export const sessionCookie = (applicationId: string, credentials: string | undefined, publicUrl: string): string =>
  writeCookie(SESSION_COOKIE, credentials ?? '', {
    path: `/v1/${applicationId}`,
    sameSite: 'Strict',
    secure: publicUrl.startsWith('https:'),
    maxAgeSeconds: credentials === undefined ? 0 : SESSION_DAYS_MAX * DAY_SECONDS,
  });
