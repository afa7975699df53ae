// What a row of the interface's table is made of (http/routes/table).

import type { Context } from '../../context.ts';
import type { Permission } from '../../gate/permit.ts';
import type { QuotaGroup } from '../../wire/publish-document.ts';
import type { Answer } from '../replies/answer.ts';
import type { BodyRule, Input } from '../requests/input.ts';

export interface Route<Body = unknown> {
  /** HEAD and OPTIONS stand here only where they are operations of their own; HEAD works wherever GET does. */
  readonly method: 'GET' | 'HEAD' | 'POST' | 'PUT' | 'PATCH' | 'DELETE' | 'OPTIONS';
  readonly path: string;
  readonly permission: Permission;
  /** Absent: the operation is counted against no quota. */
  readonly group?: QuotaGroup;
  /** The query parameters that it reads; all others are ignored, unless it refuses them. */
  readonly parameters?: readonly string[];
  /** Where a slip would destroy: a parameter that it does not read, or that is given twice, is an error. */
  readonly refusesOthers?: true;
  /** Absent: the operation takes no JSON. */
  readonly body?: BodyRule<Body>;
  /** The body is bytes, which the operation reads itself. */
  readonly takesBytes?: true;
  readonly sentence: string;
  readonly run: (context: Context, input: Input<Body>, server: { publicUrl: () => string }) => Promise<Answer> | Answer;
}

/** Of a body that carries no records. */
export const ORDINARY_BYTES_MAX = 100 * 1024;

export const COLLECTION = '/v1/:applicationId/collections/:collectionId';

/** The row's body type is known inside the row and of no interest outside of it. */
export const route = <Body>(row: Route<Body>): Route => row as Route;
