// The routes of a user's API tokens. The operations check permissions, which depend on the token's owner and on how the caller
// signed in.

import * as tokens from '../../operations/people/tokens.ts';
import { CreatedToken, NewToken, TokenView } from '../../wire/tokens.ts';
import { NO_CONTENT, replyJson } from '../replies/reply.ts';
import { json, list, nothing } from '../replies/success.ts';
import { one } from '../requests/shapes.ts';
import { ORDINARY_BYTES_MAX, type UserRoute, userRoute } from './row.ts';

const TOKENS = '/v1/:applicationId/users/:userId/tokens';

export const TOKEN_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'GET',
    path: TOKENS,
    permission: 'self',
    operation: 'listTokens',
    sentence: "A user's API tokens, without their secrets.",
    success: [list(TokenView, 'The tokens.')],
    run: async (context, { params }) => replyJson(await tokens.list(context, params.userId!)),
  }),
  userRoute({
    method: 'POST',
    path: TOKENS,
    permission: 'self',
    showsSecret: true,
    body: { shape: one(NewToken), bytesMax: ORDINARY_BYTES_MAX },
    operation: 'createToken',
    sentence: 'Creates an API token; its secret appears this once.',
    success: [json(CreatedToken, 'The token with its secret.')],
    run: async (context, { params, body }) => replyJson(await tokens.create(context, params.userId!, body)),
  }),
  userRoute({
    method: 'DELETE',
    path: `${TOKENS}/:tokenId`,
    permission: 'self',
    operation: 'revokeToken',
    sentence: 'Revokes an API token.',
    success: [nothing('Revoked.')],
    run: async (context, { params }) => {
      await tokens.revoke(context, params.userId!, params.tokenId!);
      return NO_CONTENT;
    },
  }),
];
