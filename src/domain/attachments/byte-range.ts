// A part of a file, as clients ask for it and stores give it.

/** Both ends inclusive, as in a Range header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
