// The interface for who has not said yet who they are: signing in, and what leads there. A table like http/routes/table; the
// application need not exist, and nothing may tell whether it does.

import { SIGN_IN_ROUTES } from './sign-in.ts';
import { SINGLE_SIGN_ON_ROUTES } from './single-sign-on.ts';
import type { VisitorRoute } from './visitor-row.ts';

export const VISITOR_ROUTES: readonly VisitorRoute[] = [...SIGN_IN_ROUTES, ...SINGLE_SIGN_ON_ROUTES];
