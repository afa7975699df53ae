// Parses the Authorization header. Whether the credentials are right is decided elsewhere.

import { type PresentedToken, readToken } from '../../domain/people/tokens.ts';

export type PresentedCredentials =
  | { readonly scheme: 'none' }
  /** Neither Bearer nor Basic. */
  | { readonly scheme: 'unknown' }
  /** A header of the wrong form, which no stored credentials can match. */
  | { readonly scheme: 'unreadable' }
  | { readonly scheme: 'bearer'; readonly token: PresentedToken }
  | { readonly scheme: 'basic'; readonly userId: string; readonly password: string };

export function readCredentials(header: string | undefined): PresentedCredentials {
  if (header === undefined || header.trim() === '') return { scheme: 'none' };
  const [, scheme = '', rest = ''] = /^(\S+) +(\S+)\s*$/.exec(header) ?? [];
  if (scheme.toLowerCase() === 'bearer') {
    const token = readToken(rest);
    return token === undefined ? { scheme: 'unreadable' } : { scheme: 'bearer', token };
  }
  if (scheme.toLowerCase() === 'basic') return readBasic(rest);
  return { scheme: hasScheme(header, ['bearer', 'basic']) ? 'unreadable' : 'unknown' };
}

/** Schemes in lower case. */
export const hasScheme = (header: string, schemes: readonly string[]): boolean =>
  schemes.includes(header.trim().split(/\s/, 1)[0]!.toLowerCase());

function readBasic(encoded: string): PresentedCredentials {
  if (!/^[A-Za-z0-9+/_-]+={0,2}$/.test(encoded)) return { scheme: 'unreadable' };
  const text = Buffer.from(encoded, 'base64').toString('utf8');
  const colon = text.indexOf(':');
  if (colon === -1) return { scheme: 'unreadable' };
  return { scheme: 'basic', userId: text.slice(0, colon), password: text.slice(colon + 1) };
}

/** The secret of `Authorization: Bearer <operator key>`. An operator key can be any text without white space. */
export function readBearerText(header: string | undefined): string | undefined {
  return /^bearer +(\S+)\s*$/i.exec(header ?? '')?.[1];
}
