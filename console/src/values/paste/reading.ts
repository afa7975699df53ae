// What reading a pasted text can come to.

import type { RawValue } from '../../../../client/src/shapes.ts';

/** How the person who pastes writes. */
export interface Writing {
  readonly locale: string;
  /** Of times without one. */
  readonly timeZone: string;
  /** The words of the page for a Boolean. */
  readonly yes: string;
  readonly no: string;
}

export type PasteProblem =
  | 'number'
  | 'boolean'
  | 'date'
  | 'time'
  | 'dateTime'
  | 'location'
  | 'structure'
  | 'file'
  | 'nobody'
  | 'severalPeople'
  | 'noRecord'
  | 'severalRecords';

export type Read =
  | { readonly value: RawValue }
  | { readonly problem: PasteProblem }
  /** A person or a record that the server has to be asked for. */
  | { readonly seek: string };
