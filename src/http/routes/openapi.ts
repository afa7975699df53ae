// The OpenAPI document of an application, for its users' programs.

import { Readable } from 'node:stream';
import { setImmediate } from 'node:timers/promises';
import { applicationDocument } from '../openapi/application.ts';
import type { Subjects } from '../openapi/document.ts';
import { JSON_TYPE } from '../replies/reply.ts';
import { json } from '../replies/success.ts';
import { type UserRoute, userRoute } from './row.ts';

const DOCUMENT = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
  additionalProperties: true,
};

/** Writing a collection of 200 columns takes about a millisecond: other requests come between two of them. */
async function* partByPart(parts: Iterable<string>): AsyncGenerator<string> {
  for (const part of parts) {
    yield part;
    await setImmediate();
  }
}

/** The document describes this route as well, so it is given the subjects later. */
export const openApiRoutes = (subjects: () => Subjects): readonly UserRoute[] => [
  userRoute({
    method: 'GET',
    path: '/v1/:applicationId/openapi.json',
    permission: 'api',
    group: 'records-read',
    operation: 'getOpenApiDocument',
    sentence: 'This interface with the collections and columns of the application, as an OpenAPI document.',
    success: [json(DOCUMENT, 'The document.')],
    run: ({ application }, _input, server) => {
      const { definition, version, id } = application;
      const described = { id, version, name: definition.name, collections: definition.collections };
      const parts = applicationDocument(described, `${server.publicUrl()}/v1`, subjects());
      return {
        status: 200,
        headers: {
          'content-type': JSON_TYPE,
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        },
        stream: async () => Readable.from(partByPart(parts)),
      };
    },
  }),
];
