// How a new person can get in.

import type { ApplicationDefinition, SignInMethods } from '../../../client/src/shapes.ts';

/** `none`: later, or by single sign-on. */
export type WayIn = 'mail' | 'link' | 'password' | 'none';

/** The best first; none where people sign in with what they have already. */
export function waysIn(
  methods: Pick<SignInMethods, 'singleSignOn' | 'passwordReset'>,
  { sharedUsersModeEnabled }: Pick<ApplicationDefinition, 'sharedUsersModeEnabled'>,
): readonly WayIn[] {
  if (methods.singleSignOn || sharedUsersModeEnabled) return [];
  return [...(methods.passwordReset ? (['mail'] as const) : []), 'link', 'password'];
}
