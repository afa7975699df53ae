// The routes of the operator's interface. They belong to no application, and only the operator's key gives access.

import { fault } from '../../faults.ts';
import * as applications from '../../operations/applications/applications.ts';
import { showProgress } from '../../operations/applications/progress.ts';
import { publish } from '../../operations/applications/publish.ts';
import * as quotas from '../../operations/applications/quotas.ts';
import * as doctor from '../../operations/doctor/doctor.ts';
import * as organizations from '../../operations/people/organizations.ts';
import * as sharedUsers from '../../operations/people/shared-users.ts';
import * as tokens from '../../operations/people/tokens.ts';
import * as users from '../../operations/people/users.ts';
import { OrganizationSettings, ProofRequest } from '../../wire/operator.ts';
import { publishDocumentSchema, QuotaChange } from '../../wire/publish-document.ts';
import { OVERVIEW_DEFAULT, OVERVIEW_MAX } from '../../wire/quotas.ts';
import { NewToken } from '../../wire/tokens.ts';
import { NewSharedUser, NewUser } from '../../wire/users.ts';
import { NO_CONTENT, replyJson, replyLines } from '../replies/reply.ts';
import type { Input } from '../requests/input.ts';
import { readWhole } from '../requests/list-parameters.ts';
import { anyJson, checkedLater, one } from '../requests/shapes.ts';
import { type OperatorRoute, ORDINARY_BYTES_MAX, operatorRoute } from './row.ts';

/** A definition at its limits is larger than an ordinary body. */
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

const APPLICATIONS = '/operator/v1/applications';
const APPLICATION = `${APPLICATIONS}/:applicationId`;
const TOKENS = `${APPLICATION}/users/:userId/tokens`;
const ORGANIZATION = '/operator/v1/organizations/:name';

function flag(input: Input<unknown>, name: string): boolean {
  const text = input.query[name];
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw fault('INVALID_PARAMETER', { parameter: name, reason: 'must be true or false' });
}

const owner = ({ params }: Input<unknown>) => ({ applicationId: params.applicationId!, userId: params.userId! });

export const OPERATOR_ROUTES: readonly OperatorRoute[] = [
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/publish-document.schema.json',
    permission: 'open',
    sentence: 'The JSON Schema of the publish document.',
    run: () => replyJson(publishDocumentSchema),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/proof',
    permission: 'open',
    keepsConnection: true,
    body: { shape: one(ProofRequest), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Proves that the server knows the operator key.',
    run: ({ source, endpoint, paceProofs, proveKey }, { body }) => {
      paceProofs(source.ip);
      return replyJson(proveKey(body.nonce, endpoint));
    },
  }),
  operatorRoute({
    method: 'POST',
    path: APPLICATIONS,
    permission: 'operator',
    parameters: ['dryRun', 'allowDataLoss'],
    refusesOthers: true,
    body: { shape: anyJson, bytesMax: DOCUMENT_BYTES_MAX },
    sentence: 'Publishes an application.',
    run: async (context, input) => {
      const options = { dryRun: flag(input, 'dryRun'), allowDataLoss: flag(input, 'allowDataLoss') };
      return replyJson(await publish(context, { document: input.body, ...options }));
    },
  }),
  operatorRoute({
    method: 'GET',
    path: APPLICATIONS,
    permission: 'operator',
    sentence: 'All applications.',
    run: async (context) => replyJson(await applications.list(context)),
  }),
  operatorRoute({
    method: 'GET',
    path: APPLICATION,
    permission: 'operator',
    sentence: 'The publish document as it stands, with identifiers.',
    run: async (context, { params }) => replyJson(await applications.show(context, params.applicationId!)),
  }),
  operatorRoute({
    method: 'GET',
    path: `${APPLICATION}/publishing`,
    permission: 'operator',
    sentence: 'How far a publishing under way has come.',
    run: async (context, { params }) => replyJson(await showProgress(context, params.applicationId!)),
  }),
  operatorRoute({
    method: 'DELETE',
    path: APPLICATION,
    permission: 'operator',
    refusesOthers: true,
    sentence: 'Removes an application and everything in it.',
    run: async (context, { params }) => {
      await applications.remove(context, params.applicationId!);
      return NO_CONTENT;
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/quotas',
    permission: 'operator',
    sentence: 'Of all applications the groups that have a limit, those first of which the largest part is taken.',
    run: async (context, { query }) => {
      const count = readWhole(query, 'limit', { minimum: 1, maximum: OVERVIEW_MAX }) ?? OVERVIEW_DEFAULT;
      return replyJson(await quotas.list(context, count));
    },
  }),
  operatorRoute({
    method: 'GET',
    path: `${APPLICATION}/quotas`,
    permission: 'operator',
    sentence: 'The quotas of an application, and what is taken of them in this hour.',
    run: async (context, { params }) => replyJson(await quotas.show(context, params.applicationId!)),
  }),
  operatorRoute({
    method: 'PUT',
    path: `${APPLICATION}/quotas`,
    permission: 'operator',
    body: { shape: one(QuotaChange), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Changes the plan or single limits of an application.',
    run: async (context, { params, body }) => replyJson(await quotas.change(context, params.applicationId!, body)),
  }),
  operatorRoute({
    method: 'POST',
    path: `${APPLICATION}/users`,
    permission: 'operator',
    body: { shape: checkedLater(NewUser), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates a user, or activates a shared user.',
    run: async (context, { params, body }) =>
      replyJson(await users.createByOperator(context, params.applicationId!, body)),
  }),
  operatorRoute({
    method: 'POST',
    path: TOKENS,
    permission: 'operator',
    body: { shape: one(NewToken), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates an API token; its secret appears this once.',
    run: async (context, input) => replyJson(await tokens.createByOperator(context, owner(input), input.body)),
  }),
  operatorRoute({
    method: 'GET',
    path: TOKENS,
    permission: 'operator',
    sentence: "A user's tokens, without their secrets.",
    run: async (context, input) => replyJson(await tokens.listByOperator(context, owner(input))),
  }),
  operatorRoute({
    method: 'DELETE',
    path: `${TOKENS}/:tokenId`,
    permission: 'operator',
    sentence: 'Revokes a token.',
    run: async (context, input) => {
      await tokens.revokeByOperator(context, owner(input), input.params.tokenId!);
      return NO_CONTENT;
    },
  }),
  operatorRoute({
    method: 'GET',
    path: ORGANIZATION,
    permission: 'operator',
    sentence: 'An organization.',
    run: async (context, { params }) => replyJson(await organizations.show(context, params.name!)),
  }),
  operatorRoute({
    method: 'PUT',
    path: ORGANIZATION,
    permission: 'operator',
    body: { shape: one(OrganizationSettings), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates an organization or sets its single sign-on.',
    run: async (context, { params, body }) => replyJson(await organizations.put(context, params.name!, body)),
  }),
  operatorRoute({
    method: 'POST',
    path: `${ORGANIZATION}/sharedUsers`,
    permission: 'operator',
    body: { shape: checkedLater(NewSharedUser), bytesMax: ORDINARY_BYTES_MAX },
    sentence: 'Creates a shared user.',
    run: async (context, { params, body }) =>
      replyJson(await sharedUsers.createByOperator(context, params.name!, body)),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/doctor',
    permission: 'operator',
    parameters: ['mend', 'hashes', 'force'],
    refusesOthers: true,
    sentence: 'Compares attachments with their files, and mends what is wrong; lines of JSON.',
    run: (context, input) => {
      const options = { mend: flag(input, 'mend'), hashes: flag(input, 'hashes'), force: flag(input, 'force') };
      return replyLines(doctor.examine(context, options));
    },
  }),
];
