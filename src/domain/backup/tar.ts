// The tar format (POSIX ustar), as far as archives of backups need it: regular files, each with a name and a size. The
// common packages for it bring seven others; every tar program reads these archives.

/** The data of a file is filled up to whole blocks. */
export const TAR_BLOCK_BYTES = 512;
/** Two empty blocks end an archive. */
export const TAR_END = Buffer.alloc(2 * TAR_BLOCK_BYTES);

const NAME_BYTES = 100;
const PREFIX_AT = 345;
const PREFIX_BYTES = 155;
const SIZE_AT = 124;
const SIZE_BYTES = 12;
const CHECKSUM_AT = 148;
const CHECKSUM_BYTES = 8;
const TYPE_AT = 156;
const MAGIC_AT = 257;
const MAGIC = 'ustar\u000000';
/** The largest size in octal digits; a larger one is binary, which GNU tar began and every tar program reads. */
const OCTAL_SIZE_MAX = 8 ** 11 - 1;
const BINARY_SIZE = 0x80;
const FILE = 0x30;

export interface TarFile {
  readonly name: string;
  readonly size: number;
}

export const paddingOf = (size: number): number => (TAR_BLOCK_BYTES - (size % TAR_BLOCK_BYTES)) % TAR_BLOCK_BYTES;

const octal = (value: number, bytes: number): string => `${value.toString(8).padStart(bytes - 1, '0')}\0`;

/** `seconds`: since 1970, when the file was made. */
export function tarHeader({ name, size }: TarFile, seconds: number): Buffer {
  const header = Buffer.alloc(TAR_BLOCK_BYTES);
  const cut = name.length <= NAME_BYTES ? -1 : name.lastIndexOf('/');
  if (name.length - cut - 1 > NAME_BYTES || cut > PREFIX_BYTES) throw new Error(`${name} is too long for an archive`);
  header.write(name.slice(cut + 1), 0, 'latin1');
  header.write(octal(0o600, 8), 100);
  header.write(octal(0, 8), 108);
  header.write(octal(0, 8), 116);
  if (size <= OCTAL_SIZE_MAX) header.write(octal(size, SIZE_BYTES), SIZE_AT);
  else {
    header[SIZE_AT] = BINARY_SIZE;
    header.writeBigUInt64BE(BigInt(size), SIZE_AT + SIZE_BYTES - 8);
  }
  header.write(octal(seconds, 12), 136);
  header[TYPE_AT] = FILE;
  header.write(MAGIC, MAGIC_AT, 'latin1');
  if (cut > 0) header.write(name.slice(0, cut), PREFIX_AT, 'latin1');
  header.write(`${octal(checksumOf(header), CHECKSUM_BYTES - 1)} `, CHECKSUM_AT, 'latin1');
  return header;
}

/** Of all bytes, those of the checksum itself counted as spaces. */
function checksumOf(header: Buffer): number {
  let sum = 0;
  for (let at = 0; at < TAR_BLOCK_BYTES; at++) {
    sum += at >= CHECKSUM_AT && at < CHECKSUM_AT + CHECKSUM_BYTES ? 0x20 : header[at]!;
  }
  return sum;
}

/** `end`: the first of the empty blocks. Undefined: not the header of a file. */
export function readTarHeader(header: Buffer): TarFile | 'end' | undefined {
  if (header.every((byte) => byte === 0)) return 'end';
  const checksum = Number.parseInt(textAt(header, CHECKSUM_AT, CHECKSUM_BYTES), 8);
  if (checksum !== checksumOf(header) || header[TYPE_AT] !== FILE) return undefined;
  const prefix = textAt(header, PREFIX_AT, PREFIX_BYTES);
  const name = textAt(header, 0, NAME_BYTES);
  const size =
    header[SIZE_AT] === BINARY_SIZE
      ? Number(header.readBigUInt64BE(SIZE_AT + SIZE_BYTES - 8))
      : Number.parseInt(textAt(header, SIZE_AT, SIZE_BYTES), 8);
  if (!Number.isSafeInteger(size) || size < 0) return undefined;
  return { name: prefix === '' ? name : `${prefix}/${name}`, size };
}

/** Up to the first zero. */
function textAt(header: Buffer, start: number, bytes: number): string {
  const field = header.subarray(start, start + bytes);
  const end = field.indexOf(0);
  return field.toString('latin1', 0, end === -1 ? bytes : end).trim();
}
