// The strength rule for passwords of users and shared users, and the key of an account whose password is guessed. Hashing
// and comparing is in gate/credentials.

export const PASSWORD_CHARACTERS_MIN = 8;
/** Bounds the input of the slow password hash. */
export const PASSWORD_CHARACTERS_MAX = 1000;

/** A sentence that names the first rule broken, or undefined for a password that may be used. */
export function passwordWeakness(password: string): string | undefined {
  // Each would be hashed as U+FFFD, so that other passwords would match.
  if (/\p{Cs}/u.test(password)) return 'The password must not contain lone surrogates.';
  const characters = countCharacters(password);
  if (characters < PASSWORD_CHARACTERS_MIN) {
    return `The password must have at least ${PASSWORD_CHARACTERS_MIN} characters.`;
  }
  if (characters > PASSWORD_CHARACTERS_MAX) {
    return `The password must have at most ${PASSWORD_CHARACTERS_MAX} characters.`;
  }
  if (!/\p{Ll}/u.test(password)) return 'The password must contain at least one lowercase letter.';
  if (!/\p{Lu}/u.test(password)) return 'The password must contain at least one uppercase letter.';
  if (!/\p{Nd}/u.test(password)) return 'The password must contain at least one digit.';
  return undefined;
}

/** Counts code points, unless the length alone shows that there are too many: one has at most two UTF-16 units. */
function countCharacters(password: string): number {
  if (password.length > 2 * PASSWORD_CHARACTERS_MAX) return Number.POSITIVE_INFINITY;
  return Array.from(password).length;
}

/**
 * The key under which failures are counted and verified passwords remembered, the same wherever passwords are accepted.
 * `presented` is bounded, and stripped of the character that separates keys.
 */
export const accountKey = (applicationId: string, presented: string): string =>
  `${applicationId} ${presented.slice(0, 64).replaceAll('\0', '')}`;
