// Encodes lower-case base32hex (RFC 4648 section 7, `0-9a-v`, no padding), which sorts as the bytes do. There is no decoder:
// identifiers and hashes are compared as text.

const DIGITS = '0123456789abcdefghijklmnopqrstuv';
/** Ten bits at a time: half as many steps as digit by digit. */
const PAIRS = Array.from({ length: 1024 }, (_, bits) => DIGITS[bits >>> 5]! + DIGITS[bits & 0x1f]!);

/** The first `characters` * 5 bits of `bytes`; bits after the last byte count as zero. */
export function base32hex(bytes: Uint8Array, characters: number): string {
  let text = '';
  let pending = 0;
  let bits = 0;
  let next = 0;
  for (let made = 0; made < characters; made += 2) {
    while (bits < 10) {
      pending = ((pending & 0x3ff) << 8) | (next < bytes.length ? bytes[next]! : 0);
      next += 1;
      bits += 8;
    }
    bits -= 10;
    text += PAIRS[(pending >>> bits) & 0x3ff];
  }
  return characters % 2 === 0 ? text : text.slice(0, -1);
}
