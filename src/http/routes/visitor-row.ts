// What a row of the table for visitors is made of (http/routes/visitors).

import type { VisitorContext } from '../../context.ts';
import type { Answer } from '../replies/answer.ts';
import type { BodyRule, Input } from '../requests/input.ts';
import type { Route } from './row.ts';

export interface VisitorRoute<Body = unknown> {
  readonly method: Route['method'];
  readonly path: string;
  readonly parameters?: readonly string[];
  readonly body?: BodyRule<Body>;
  /** Where the path does not say it: an identifier of the right form, or nothing. */
  readonly applicationOf?: (input: Input<Body>) => string;
  readonly sentence: string;
  readonly run: (context: VisitorContext, input: Input<Body>) => Promise<Answer> | Answer;
}
