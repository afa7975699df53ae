// Cookies of the console. Every one is for this server alone: HttpOnly, and Secure wherever people reach it by https.

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
