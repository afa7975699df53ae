// The routes for signing in with a password, and for a new password by mail.

import * as passwordResets from '../../operations/people/password-resets.ts';
import * as sessions from '../../operations/people/sessions.ts';
import { PasswordReset, PasswordResetRequest, SessionView, SignIn, SignInMethods } from '../../wire/sessions.ts';
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import { json, nothing } from '../replies/success.ts';
import { FORGET_CACHED, readCookie, SESSION_COOKIE, sessionCookie } from '../requests/cookies.ts';
import { one } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type VisitorRoute, visitorRoute } from './row.ts';

const SESSION = '/v1/:applicationId/session';
const RESET = `${SESSION}/passwordReset`;

export const SIGN_IN_ROUTES: readonly VisitorRoute[] = [
  visitorRoute({
    method: 'POST',
    path: SESSION,
    body: { shape: one(SignIn), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'signIn',
    sentence: 'Signs in with a password; the session is a cookie.',
    success: [json(SessionView, 'Signed in.')],
    run: async (context, { body, header }) => {
      const former = readCookie(header('cookie'), SESSION_COOKIE);
      const opened = await sessions.signIn(context, body, { agent: header('user-agent') ?? '', former });
      const cookie = sessionCookie(context.applicationId, opened.credentials, context.people.publicUrl());
      return { ...replyJson(opened.view), headers: { 'set-cookie': cookie, ...FORGET_CACHED } };
    },
  }),
  visitorRoute({
    method: 'GET',
    path: `${SESSION}/methods`,
    operation: 'getSignInMethods',
    sentence: 'How people may sign in.',
    success: [json(SignInMethods, 'The ways to sign in.')],
    run: (context) => replyJson(sessions.methods(context)),
  }),
  visitorRoute({
    method: 'POST',
    path: RESET,
    body: { shape: one(PasswordResetRequest), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'requestPasswordReset',
    sentence: 'Mails a link to set a new password, if there is such a user.',
    success: [nothing('Whether or not there is such a user.')],
    run: (context, { body }) => {
      passwordResets.ask(context, body);
      return NO_CONTENT;
    },
  }),
  visitorRoute({
    method: 'PUT',
    path: RESET,
    body: { shape: one(PasswordReset), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'resetPassword',
    sentence: 'Sets a new password with the token of the mailed link.',
    success: [nothing('The password is set.')],
    run: async (context, { body }) => {
      await passwordResets.use(context, body);
      return NO_CONTENT;
    },
  }),
];
