// The OpenAPI document of the interface, made from the table of routes. http/openapi/application adds an application's own
// collections and columns.

import { componentSchemas } from './components.ts';
import { type DescribedRoute, operationOf, RESPONSES } from './operations.ts';

/** Routes by the subject under which the document lists them. */
export type Subjects = readonly {
  readonly tag: string;
  readonly sentence: string;
  readonly routes: readonly DescribedRoute[];
}[];

const SECURITY_SCHEMES = {
  token: { type: 'http', scheme: 'bearer', description: 'An API token: its ID and its secret, joined by a dot.' },
  password: { type: 'http', scheme: 'basic', description: "A user's ID and password; not with single sign-on." },
  session: { type: 'apiKey', in: 'cookie', name: 'cartulary_session', description: 'For the console in a browser.' },
};

const DESCRIPTION = `Records in typed collections, attachments, users and notifications of an application.

Values are objects with a \`type\`. A batch is worked on in order: if an element is refused, those before it stay applied,
and \`params\` of the problem has its \`recordIndex\` and the records that were applied.`;

/** `/v1/:applicationId/users` → `/{applicationId}/users`. */
export const templateOf = (path: string): string => path.replace(/^\/v1/, '').replaceAll(/:(\w+)/g, '{$1}');

/** Not the pages of single sign-on, which only lead a browser on. */
export const isOfInterface = ({ success }: DescribedRoute): boolean => success.some(({ status }) => status < 300);

export function openApiDocument(subjects: Subjects): object {
  const paths: Record<string, Record<string, object>> = {};
  for (const { tag, routes } of subjects) {
    for (const row of routes.filter(isOfInterface)) {
      const path = templateOf(row.path);
      paths[path] ??= {};
      paths[path][row.method.toLowerCase()] = operationOf(row, { tag });
    }
  }
  return {
    ...preamble({ title: 'Cartulary', version: '1', description: DESCRIPTION, url: '/v1' }),
    tags: subjects.map(({ tag, sentence }) => ({ name: tag, description: sentence })),
    paths,
    components: { schemas: componentSchemas(), ...SHARED_COMPONENTS },
  };
}

export const SHARED_COMPONENTS = { responses: RESPONSES, securitySchemes: SECURITY_SCHEMES };

interface About {
  readonly title: string;
  readonly version: string;
  readonly description: string;
  readonly url: string;
}

export const preamble = ({ url, ...info }: About): object => ({
  openapi: '3.1.0',
  info: { ...info, license: { name: 'Apache-2.0', identifier: 'Apache-2.0' } },
  servers: [{ url }],
  security: Object.keys(SECURITY_SCHEMES).map((name) => ({ [name]: [] })),
});
