// The routes of single sign-on. Browsers visit them, so a failure is a readable page if the client accepts HTML, and an
// ordinary problem otherwise.

import { escapeHtml } from '../../domain/html.ts';
import { Fault, notSignedIn } from '../../faults.ts';
import * as singleSignOn from '../../operations/people/single-sign-on.ts';
import type { Reply } from '../replies/reply.ts';
import { FORGET_CACHED, readCookie, SESSION_COOKIE, sessionCookie, writeCookie } from '../requests/cookies.ts';
import type { Input } from '../requests/input.ts';
import type { Parameters } from '../requests/query.ts';
import { type VisitorRoute, visitorRoute } from './row.ts';

const BEGIN_PATH = '/v1/:applicationId/session/singleSignOn';
const ATTEMPT_COOKIE = 'cartulary_sign_on';
/** What the provider returns through the browser (RFC 6749 section 4.1.2, RFC 9207); other parameters are ignored. */
const TEXT = { type: 'string' };
const CALLBACK_PARAMETERS = {
  code: { schema: TEXT, sentence: 'What the sign-on is completed with.' },
  state: { schema: TEXT, sentence: 'Which attempt the reply belongs to.' },
  iss: { schema: TEXT, sentence: 'Which provider replies.' },
  error: { schema: TEXT, sentence: 'Why there is no code.' },
} as const satisfies Parameters;
/** URLs with codes and states must not reach other sites or caches. */
const PRIVATE = { 'referrer-policy': 'no-referrer', 'cache-control': 'no-store' } as const;

export const SINGLE_SIGN_ON_ROUTES: readonly VisitorRoute[] = [
  visitorRoute({
    method: 'GET',
    path: BEGIN_PATH,
    parameters: { returnTo: { schema: TEXT, sentence: 'The path of the console to go on to.' } },
    operation: 'beginSingleSignOn',
    sentence: 'Sends a browser to the provider of single sign-on.',
    success: [{ status: 302, sentence: 'On to the provider.' }],
    run: (context, input) =>
      withErrorPage(input, beginAddress(context.applicationId, input.query.returnTo), async () => {
        const former = readCookie(input.header('cookie'), SESSION_COOKIE);
        const begun = await singleSignOn.begin(context, { returnTo: input.query.returnTo, former });
        const cookie = attemptCookie(begun.state, begun.browserSecret, context.people.publicUrl());
        return { status: 302, headers: { location: begun.location, 'set-cookie': cookie, ...PRIVATE } };
      }),
  }),
  visitorRoute({
    method: 'GET',
    path: `${singleSignOn.CALLBACK_PATH}/:organization`,
    parameters: CALLBACK_PARAMETERS,
    applicationOf: ({ query }) => singleSignOn.applicationOfState(query.state),
    operation: 'completeSingleSignOn',
    sentence: 'Where the provider of single sign-on sends the browser back to.',
    success: [{ status: 302, sentence: 'Signed in, and on to the console.' }],
    run: (context, input) => {
      const { applicationId, people } = context;
      const { state } = input.query;
      const again = applicationId === '' ? '/console' : beginAddress(applicationId, undefined);
      return withErrorPage(input, again, async () => {
        // A HEAD request signs no user on, and does not use up the attempt.
        if (input.isHead) throw notSignedIn();
        const { session, returnTo } = await singleSignOn.complete(context, {
          organization: input.params.organization!,
          answer: callbackOf(input),
          browserSecret: readCookie(input.header('cookie'), attemptName(state)),
          agent: input.header('user-agent') ?? '',
        });
        const cookies = [
          sessionCookie(applicationId, session.credentials, people.publicUrl()),
          attemptCookie(state, undefined, people.publicUrl()),
        ];
        return { status: 302, headers: { location: returnTo, 'set-cookie': cookies, ...FORGET_CACHED, ...PRIVATE } };
      });
    },
  }),
];

/** One browser may have several attempts at once, each with a cookie of its own. */
const attemptName = (state: string | undefined): string => `${ATTEMPT_COOKIE}_${singleSignOn.markOfState(state) ?? ''}`;

/** Lax: the browser returns from another site. */
const attemptCookie = (state: string | undefined, secret: string | undefined, publicUrl: string): string =>
  writeCookie(attemptName(state), secret ?? '', {
    path: '/signOn',
    sameSite: 'Lax',
    secure: publicUrl.startsWith('https:'),
    maxAgeSeconds: secret === undefined ? 0 : singleSignOn.SIGN_ON_SECONDS_MAX,
  });

const callbackOf = ({ query }: Input<unknown>): Record<string, string> =>
  Object.fromEntries(
    Object.keys(CALLBACK_PARAMETERS).flatMap((name) => (query[name] === undefined ? [] : [[name, query[name]]])),
  );

const beginAddress = (applicationId: string, returnTo: string | undefined): string =>
  BEGIN_PATH.replace(':applicationId', applicationId) +
  (returnTo === undefined ? '' : `?returnTo=${encodeURIComponent(returnTo)}`);

async function withErrorPage(input: Input<unknown>, again: string, work: () => Promise<Reply>): Promise<Reply> {
  try {
    return await work();
  } catch (error) {
    if (!(error instanceof Fault) || !input.header('accept')?.includes('text/html')) throw error;
    return page(error, again);
  }
}

const SENTENCES: Readonly<Record<number, string>> = {
  400: 'The link that led here is incomplete.',
  401: 'You could not be signed in. It may have taken too long, or your account has no access here.',
  403: 'Single sign-on is not set up here.',
  429: 'Too many people are signing in from your network. Please try again in a moment.',
  503: 'Signing in does not work at the moment. Please try again in a moment.',
};

/** `default-src` stands for none of the others: without them another site could show the page in a frame. */
const PAGE_POLICY = "default-src 'none'; frame-ancestors 'none'; form-action 'none'; base-uri 'none'";

function page({ status, headers }: Fault, again: string): Reply {
  const body = `<!doctype html>
<html lang="en">
<meta charset="utf-8">
<meta name="viewport" content="width=device-width">
<title>Not signed in – Cartulary</title>
<h1>Not signed in</h1>
<p>${SENTENCES[status] ?? SENTENCES[503]}</p>
<p><a href="${escapeHtml(again)}">Try again</a></p>
</html>
`;
  const safe = { 'content-security-policy': PAGE_POLICY, 'x-content-type-options': 'nosniff' };
  return { status, headers: { ...headers, 'content-type': 'text/html; charset=utf-8', ...safe, ...PRIVATE }, body };
}
