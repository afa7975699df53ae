// The OpenAPI document of an application, for its users' programs.

import { Readable } from 'node:stream';
import { applicationUrl, applicationView } from '../../domain/definition/view.ts';
import { applicationDocument } from '../openapi/application.ts';
import type { Subjects } from '../openapi/document.ts';
import { json } from '../replies/success.ts';
import { type UserRoute, userRoute } from './row.ts';

const DOCUMENT = {
  type: 'object',
  required: ['openapi', 'info', 'paths'],
  properties: { openapi: { type: 'string' }, info: { type: 'object' }, paths: { type: 'object' } },
  additionalProperties: true,
};

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
      const view = applicationView(definition, version, applicationUrl(server.publicUrl(), id));
      const parts = applicationDocument(view, `${server.publicUrl()}/v1`, subjects());
      return {
        status: 200,
        headers: {
          'content-type': 'application/json; charset=utf-8',
          'cache-control': 'no-store',
          'x-content-type-options': 'nosniff',
        },
        stream: async () => Readable.from(parts),
      };
    },
  }),
];
