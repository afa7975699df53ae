// The routes of the signed-in user: who it is, the sessions, and the password.

import type { Context } from '../../context.ts';
import * as passwords from '../../operations/people/passwords.ts';
import * as sessions from '../../operations/people/sessions.ts';
import * as userSessions from '../../operations/people/user-sessions.ts';
import { OpenSession, PasswordChange, SessionView } from '../../wire/sessions.ts';
import { NO_CONTENT, type Reply, replyJson } from '../replies/reply.ts';
import { json, list, nothing } from '../replies/success.ts';
import { FORGET_CACHED, sessionCookie } from '../requests/cookies.ts';
import { one } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const SESSION = '/v1/:applicationId/session';
const USER_SESSIONS = '/v1/:applicationId/users/:userId/sessions';

export const SESSION_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: SESSION,
    permission: 'self',
    ownPagesOnly: true,
    operation: 'getSession',
    sentence: 'Who asks, and what they may do.',
    success: [json(SessionView, 'The caller.')],
    run: async (context) => replyJson(await sessions.show(context)),
  }),
  userRoute({
    method: 'DELETE',
    path: SESSION,
    permission: 'self',
    ownPagesOnly: true,
    operation: 'endSession',
    sentence: 'Signs out: ends the session.',
    success: [nothing('Signed out.')],
    run: async (context, _input, server) => {
      await sessions.signOut(context);
      return signedOut(context, server);
    },
  }),
  userRoute({
    method: 'PUT',
    path: `${SESSION}/password`,
    permission: 'self',
    ownPagesOnly: true,
    body: { shape: one(PasswordChange), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'changePassword',
    sentence: 'Changes the own password; all other sessions end.',
    success: [nothing('Changed.')],
    run: async (context, { body }) => {
      await passwords.changePassword(context, body);
      return NO_CONTENT;
    },
  }),
  userRoute({
    method: 'GET',
    path: USER_SESSIONS,
    permission: 'self',
    ownPagesOnly: true,
    operation: 'listSessions',
    sentence: "A user's open sessions.",
    success: [list(OpenSession, 'The sessions, the latest used first.')],
    run: async (context, { params }) => replyJson(await userSessions.list(context, params.userId!)),
  }),
  userRoute({
    method: 'DELETE',
    path: USER_SESSIONS,
    permission: 'self',
    ownPagesOnly: true,
    refusesFinalSlash: true,
    operation: 'endOtherSessions',
    sentence: "Ends a user's sessions, except the one of the request.",
    success: [nothing('Ended.')],
    run: async (context, { params }) => {
      await userSessions.endOthers(context, params.userId!);
      return NO_CONTENT;
    },
  }),
  userRoute({
    method: 'DELETE',
    path: `${USER_SESSIONS}/:sessionId`,
    permission: 'self',
    ownPagesOnly: true,
    operation: 'endUserSession',
    sentence: 'Ends a session of a user.',
    success: [nothing('Ended.')],
    run: async (context, { params }, server) => {
      await userSessions.endOne(context, params.userId!, params.sessionId!);
      return params.sessionId === context.sessionId ? signedOut(context, server) : NO_CONTENT;
    },
  }),
];

/** The browser's own session has ended. */
const signedOut = ({ application }: Context, server: { publicUrl: () => string }): Reply => {
  const cookie = sessionCookie(application.id, undefined, server.publicUrl());
  return { ...NO_CONTENT, headers: { 'set-cookie': cookie, ...FORGET_CACHED } };
};
