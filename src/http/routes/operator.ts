// The routes of the operator's interface. They belong to no application, and only the operator's key gives access. Those
// of users, tokens and organizations are in operator-people.

import { fault } from '../../faults.ts';
import * as applications from '../../operations/applications/applications.ts';
import { showProgress } from '../../operations/applications/progress.ts';
import { publish } from '../../operations/applications/publish.ts';
import * as quotas from '../../operations/applications/quotas.ts';
import * as doctor from '../../operations/doctor/doctor.ts';
import { ProofRequest } from '../../wire/operator.ts';
import { publishDocumentSchema, QuotaChange } from '../../wire/publish-document.ts';
import { OVERVIEW_DEFAULT, OVERVIEW_MAX } from '../../wire/quotas.ts';
import { NO_CONTENT, replyJson, replyLines } from '../replies/reply.ts';
import type { Input } from '../requests/input.ts';
import { readWhole } from '../requests/list-parameters.ts';
import { anyJson, one } from '../requests/shapes.ts';
import { OPERATOR_PEOPLE_ROUTES } from './operator-people.ts';
import { type OperatorRoute, ORDINARY_BYTES_MAX, operatorRoute } from './row.ts';

/** A definition at its limits is larger than an ordinary body. */
export const DOCUMENT_BYTES_MAX = 10 * 1024 * 1024;

const APPLICATIONS = '/operator/v1/applications';
const APPLICATION = `${APPLICATIONS}/:applicationId`;

const FLAG = { type: 'boolean', default: false };

function flag(input: Input<unknown>, name: string): boolean {
  const text = input.query[name];
  if (text === undefined || text === 'false') return false;
  if (text === 'true') return true;
  throw fault('INVALID_PARAMETER', { parameter: name, reason: 'must be true or false' });
}

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
    parameters: {
      dryRun: { schema: FLAG, sentence: 'Only tells what would change.' },
      allowDataLoss: { schema: FLAG, sentence: 'Consents to changes that lose data.' },
    },
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
    path: '/operator/v1/doctor',
    permission: 'operator',
    parameters: {
      mend: { schema: FLAG, sentence: 'Mends what it finds.' },
      hashes: { schema: FLAG, sentence: 'Reads every file and compares its hash.' },
      force: { schema: FLAG, sentence: 'Mends even if most files are missing.' },
    },
    refusesOthers: true,
    sentence: 'Compares attachments with their files, and mends what is wrong; lines of JSON.',
    run: (context, input) => {
      const options = { mend: flag(input, 'mend'), hashes: flag(input, 'hashes'), force: flag(input, 'force') };
      return replyLines(doctor.examine(context, options));
    },
  }),
  ...OPERATOR_PEOPLE_ROUTES,
];
