// Long texts in pieces, between which work on them can be interrupted.

/** In UTF-16 units or bytes: encoding a piece takes a tenth of a millisecond, hashing it two. */
export const PIECE_LENGTH = 64 * 1024;

export function piecesOf(text: string): Generator<string, undefined>;
export function piecesOf(text: string | Uint8Array): Generator<string | Uint8Array, undefined>;
export function* piecesOf(text: string | Uint8Array): Generator<string | Uint8Array, undefined> {
  for (let from = 0; from < text.length; ) {
    let to = Math.min(from + PIECE_LENGTH, text.length);
    // Not between the halves of a pair.
    if (typeof text === 'string' && (text.charCodeAt(to) & 0xfc00) === 0xdc00) to += 1;
    yield typeof text === 'string' ? text.slice(from, to) : text.subarray(from, to);
    from = to;
  }
}
