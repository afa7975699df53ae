// The interface for who has not said yet who they are: signing in, and what leads there. A table like http/routes; the
// application need not exist, and nothing may tell whether it does.

import type { VisitorContext } from '../context.ts';
import type { Answer } from './answer.ts';
import type { BodyRule, Input, Route } from './route.ts';

export interface VisitorRoute<Body = unknown> {
  readonly method: Route['method'];
  readonly path: string;
  readonly parameters?: readonly string[];
  readonly body?: BodyRule<Body>;
  readonly sentence: string;
  readonly run: (context: VisitorContext, input: Input<Body>) => Promise<Answer> | Answer;
}

export const VISITOR_ROUTES: readonly VisitorRoute[] = [];
