// The image formats that get thumbnails, recognized by their first bytes and never by a declared type, and how large an
// image of each may be so that the decoding process stays below 500 MB. Pure: nothing is decoded here.

export type ImageKind = 'jpeg' | 'png' | 'webp' | 'gif' | 'avif' | 'tiff';

/** Enough for every signature below, including the brands of an AVIF. */
export const SIGNATURE_BYTES = 64;

const AVIF_BRANDS = ['avif', 'avis'];

function isAvif(start: Buffer): boolean {
  if (start.toString('latin1', 4, 8) !== 'ftyp') return false;
  // ISO/IEC 14496-12, 4.3: size, 'ftyp', major brand, version, then compatible brands up to the size.
  const end = Math.min(start.readUInt32BE(0), start.length);
  for (let at = 8; at + 4 <= end; at += at === 8 ? 8 : 4) {
    if (AVIF_BRANDS.includes(start.toString('latin1', at, at + 4))) return true;
  }
  return false;
}

/** Undefined for formats without thumbnails, such as SVG, PDF and HEIC. */
export function kindOf(start: Buffer): ImageKind | undefined {
  const text = start.toString('latin1', 0, 12);
  if (text.startsWith('\xff\xd8\xff')) return 'jpeg';
  if (text.startsWith('\x89PNG\r\n\x1a\n')) return 'png';
  if (text.startsWith('GIF87a') || text.startsWith('GIF89a')) return 'gif';
  if (text.startsWith('RIFF') && text.startsWith('WEBP', 8)) return 'webp';
  if (text.startsWith('II*\0') || text.startsWith('MM\0*')) return 'tiff';
  return isAvif(start) ? 'avif' : undefined;
}

/** For all formats. Formats decoded row by row need no other bound: 10,000 × 10,000 pixels take 134 MB as PNG and 70 MB as JPEG. */
export const PIXELS_MAX = 100_000_000;

/** 500 MB less 70 MB for Node with sharp and 64 MB for the file. */
const DECODED_BYTES_MAX = 360_000_000;

export interface ImageHeader {
  readonly width: number;
  readonly height: number;
  readonly channels: number;
  /** libvips' name of a sample's type, such as `uchar`. */
  readonly depth: string;
  /** A progressive JPEG, an interlaced PNG. */
  readonly isProgressive?: boolean | undefined;
}

const SAMPLE_BYTES: Readonly<Record<string, number>> = {
  uchar: 1,
  char: 1,
  ushort: 2,
  short: 2,
  uint: 4,
  int: 4,
  float: 4,
};

/** Measured memory per pixel, for decoders that hold the whole image; 0 for those that decode row by row. */
function bytesPerPixel(kind: ImageKind, { channels, depth, isProgressive }: ImageHeader): number {
  const sampleBytes = SAMPLE_BYTES[depth] ?? 8;
  switch (kind) {
    case 'jpeg':
      // The coefficients of all scans, 16 bits each: 5.8 with full chroma.
      return isProgressive ? 2 * channels : 0;
    case 'png':
      // 4.7 for four channels of 8 bits.
      return isProgressive ? 1.2 * channels * sampleBytes : 0;
    case 'webp':
      return 4;
    case 'gif':
      return 5;
    case 'avif':
      // The planes, their copy as RGB, and libvips' copy of that: 15 to 18 at 8 bits.
      return 18 * Math.min(sampleBytes, 2);
    case 'tiff':
      // Separate planes are read whole: 5.5 for four channels of 8 bits.
      return 1.5 * channels * sampleBytes;
  }
}

export function fitsInMemory(kind: ImageKind, header: ImageHeader): boolean {
  const pixels = header.width * header.height;
  return pixels <= PIXELS_MAX && pixels * bytesPerPixel(kind, header) <= DECODED_BYTES_MAX;
}
