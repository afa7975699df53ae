// A range of a file's bytes, as clients request it and blob stores read it.

/** Both ends inclusive, as in a Range header. */
export interface ByteRange {
  readonly start: number;
  readonly end: number;
}
