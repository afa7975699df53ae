// All routes for users and visitors. The router, the checks of every request, the documentation and the test of every route
// against every refusal are made from them. The operator's routes are in http/routes/operator.

import type { Subjects } from '../openapi/document.ts';
import { ACTIVITY_LOG_ROUTES } from './activity-log.ts';
import { UPLOAD_ROUTES } from './announced-uploads.ts';
import { ATTACHMENT_ROUTES } from './attachments.ts';
import { NOTIFICATION_ROUTES } from './notifications.ts';
import { openApiRoutes } from './openapi.ts';
import { PEOPLE_ROUTES } from './people.ts';
import { RECORD_ROUTES } from './records.ts';
import type { UserRoute, VisitorRoute } from './row.ts';
import { SESSION_ROUTES } from './sessions.ts';
import { SIGN_IN_ROUTES } from './sign-in.ts';
import { SINGLE_SIGN_ON_ROUTES } from './single-sign-on.ts';
import { TOKEN_ROUTES } from './tokens.ts';
import { VIEW_ROUTES } from './views.ts';

const OPENAPI_ROUTES = openApiRoutes(() => SUBJECTS);

/** The routes by the subject under which the documentation lists them. */
export const SUBJECTS: Subjects = [
  { tag: 'Application', sentence: 'The definition of the application.', routes: OPENAPI_ROUTES },
  { tag: 'Records', sentence: 'The records of a collection.', routes: RECORD_ROUTES },
  { tag: 'Views', sentence: 'Settings of clients for a collection, own and shared.', routes: VIEW_ROUTES },
  { tag: 'Attachments', sentence: 'Files, which records refer to.', routes: ATTACHMENT_ROUTES },
  {
    tag: 'Resumable uploads',
    sentence: 'Uploads that go on after an interruption, by the tus protocol 1.0.0.',
    routes: UPLOAD_ROUTES,
  },
  {
    tag: 'Users',
    sentence: 'The users of the application, and the shared users of its organization.',
    routes: PEOPLE_ROUTES,
  },
  {
    tag: 'Notifications',
    sentence: 'Push notifications, and the devices that receive them.',
    routes: NOTIFICATION_ROUTES,
  },
  {
    tag: 'Sessions',
    sentence: 'Signing in and out, and passwords.',
    routes: [...SIGN_IN_ROUTES, ...SESSION_ROUTES, ...SINGLE_SIGN_ON_ROUTES],
  },
  { tag: 'Tokens', sentence: 'The API tokens of users.', routes: TOKEN_ROUTES },
  { tag: 'Activity log', sentence: 'Who did what.', routes: ACTIVITY_LOG_ROUTES },
];

export const ROUTES: readonly UserRoute[] = [
  ...RECORD_ROUTES,
  ...VIEW_ROUTES,
  ...ATTACHMENT_ROUTES,
  ...UPLOAD_ROUTES,
  ...NOTIFICATION_ROUTES,
  ...SESSION_ROUTES,
  ...TOKEN_ROUTES,
  ...PEOPLE_ROUTES,
  ...ACTIVITY_LOG_ROUTES,
  ...OPENAPI_ROUTES,
];

export const VISITOR_ROUTES: readonly VisitorRoute[] = [...SIGN_IN_ROUTES, ...SINGLE_SIGN_ON_ROUTES];
