// All routes for users and visitors. The router, the checks of every request, the documentation and the test of every route
// against every refusal are made from them. The operator's routes are in http/routes/operator.

import { ACTIVITY_LOG_ROUTES } from './activity-log.ts';
import { UPLOAD_ROUTES } from './announced-uploads.ts';
import { ATTACHMENT_ROUTES } from './attachments.ts';
import { NOTIFICATION_ROUTES } from './notifications.ts';
import { PEOPLE_ROUTES } from './people.ts';
import { RECORD_ROUTES } from './records.ts';
import type { UserRoute, VisitorRoute } from './row.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SIGN_IN_ROUTES } from './sign-in.ts';
import { SINGLE_SIGN_ON_ROUTES } from './single-sign-on.ts';
import { TOKEN_ROUTES } from './tokens.ts';

export const ROUTES: readonly UserRoute[] = [
  ...RECORD_ROUTES,
  ...ATTACHMENT_ROUTES,
  ...UPLOAD_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...SESSION_ROUTES,
  ...TOKEN_ROUTES,
  ...PEOPLE_ROUTES,
  ...ACTIVITY_LOG_ROUTES,
];

export const VISITOR_ROUTES: readonly VisitorRoute[] = [...SIGN_IN_ROUTES, ...SINGLE_SIGN_ON_ROUTES];
