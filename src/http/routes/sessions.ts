// The routes of the signed-in user: who it is, the session, and the password.

import * as passwords from '../../operations/people/passwords.ts';
import * as sessions from '../../operations/people/sessions.ts';
import { PasswordChange, SessionView } from '../../wire/sessions.ts';
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import { json, nothing } from '../replies/success.ts';
import { FORGET_CACHED, sessionCookie } from '../requests/cookies.ts';
import { one } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const SESSION = '/v1/:applicationId/session';

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
      const cookie = sessionCookie(context.application.id, undefined, server.publicUrl());
      return { ...NO_CONTENT, headers: { 'set-cookie': cookie, ...FORGET_CACHED } };
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
];
