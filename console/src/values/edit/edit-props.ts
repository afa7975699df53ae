// What every editor of a value has: the value, how it changes, and what the server said of it.

import type { ColumnDefinition, RawValue } from '../../api/client.ts';
import type { Where } from '../where.ts';
import type { ValueProblem } from './value-problem.ts';

export interface EditProps {
  readonly column: ColumnDefinition;
  /** Undefined: no value. */
  readonly value: RawValue | undefined;
  readonly onChange: (value: RawValue | undefined) => void;
  /** Why the server or the editor refuses it. */
  readonly problem: string | undefined;
  /** Why the server refuses a part of it: a key of an object, an item of an array. */
  readonly part?: ValueProblem | undefined;
  readonly where: Where;
}
