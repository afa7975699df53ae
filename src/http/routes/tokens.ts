// Rows of the interface's table for the API tokens of a user. Who may do what depends on whose they are and on how the
// caller signed in, which the operations decide.

import * as tokens from '../../operations/people/tokens.ts';
import { NewToken } from '../../wire/tokens.ts';
import { answerJson, NO_CONTENT } from '../replies/answer.ts';
import { one } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type Route, route } from './row.ts';

const TOKENS = '/v1/:applicationId/users/:userId/tokens';

export const TOKEN_ROUTES: readonly Route[] = [
  route({
    method: 'GET',
    path: TOKENS,
    permission: 'self',
    sentence: "A user's API tokens, without their secrets.",
    run: async (context, { params }) => answerJson(await tokens.list(context, params.userId!)),
  }),
  route({
    method: 'POST',
    path: TOKENS,
    permission: 'self',
    body: { shape: one(NewToken), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates an API token; its secret appears this once.',
    run: async (context, { params, body }) => answerJson(await tokens.create(context, params.userId!, body)),
  }),
  route({
    method: 'DELETE',
    path: `${TOKENS}/:tokenId`,
    permission: 'self',
    sentence: 'Revokes an API token.',
    run: async (context, { params }) => {
      await tokens.revoke(context, params.userId!, params.tokenId!);
      return NO_CONTENT;
    },
  }),
];
