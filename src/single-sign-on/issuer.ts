// What an issuer's address must be like. Plain http is for providers on the same machine, where nobody can listen.

import { isConfidential } from '../domain/loopback.ts';

/** Why the text cannot be an issuer (OpenID Connect Discovery 1.0 section 3); undefined when it can. */
export function issuerProblem(text: string): string | undefined {
  if (!/^https?:\/\//i.test(text) || !URL.canParse(text)) return 'must be an http(s) address';
  const address = new URL(text);
  if (!isConfidential(address)) return 'must be an https address, unless it is on this machine';
  if (address.username !== '' || address.password !== '') return 'must not hold a user or a password';
  if (/[?#\s\p{Cc}]/u.test(text)) return 'must not hold a query, a fragment or spaces';
  // The client would take this for the address of the description itself and skip the check of who describes itself.
  if (address.pathname.includes('/.well-known/')) return 'must be the issuer, not the address of its description';
  return undefined;
}
