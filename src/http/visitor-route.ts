// What a row of the table for visitors is made of (http/visitor-routes).

import type { VisitorContext } from '../context.ts';
import type { Answer } from './answer.ts';
import type { BodyRule, Input, Route } from './route.ts';

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
