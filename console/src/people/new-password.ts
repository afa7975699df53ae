// Passwords that are made here: for a user who will set one of their own by a link.

const LOWER = 'abcdefghijkmnpqrstuvwxyz';
const UPPER = 'ABCDEFGHJKLMNPQRSTUVWXYZ';
const DIGITS = '23456789';
const ALL = LOWER + UPPER + DIGITS;
/** 24 of 56 signs: nobody guesses it. */
const LENGTH = 24;

/** Without the signs that look alike, in case it is read out. */
export function randomPassword(): string {
  const signs = [LOWER, UPPER, DIGITS].map(signOf);
  while (signs.length < LENGTH) signs.push(signOf(ALL));
  return signs.join('');
}

function signOf(alphabet: string): string {
  const limit = 256 - (256 % alphabet.length);
  const byte = new Uint8Array(1);
  // Bytes beyond the last whole multiple would favour the first signs.
  do crypto.getRandomValues(byte);
  while ((byte[0] ?? 0) >= limit);
  return alphabet[(byte[0] ?? 0) % alphabet.length] ?? '';
}
