// The routes of the operator's interface. They belong to no application. Those of users, tokens and organizations are in
// operator-people.

import { Readable } from 'node:stream';
import { fault } from '../../faults.ts';
import * as applications from '../../operations/applications/applications.ts';
import { showProgress } from '../../operations/applications/progress.ts';
import { publish } from '../../operations/applications/publish.ts';
import * as quotas from '../../operations/applications/quotas.ts';
import * as use from '../../operations/applications/use.ts';
import * as versions from '../../operations/applications/versions.ts';
import { type Backup, openBackup } from '../../operations/backup/backup.ts';
import { restore } from '../../operations/backup/restore.ts';
import * as doctor from '../../operations/doctor/doctor.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { ProofRequest } from '../../wire/operator.ts';
import { publishDocumentSchema, QuotaChange } from '../../wire/publish-document.ts';
import { OVERVIEW_DEFAULT, OVERVIEW_MAX } from '../../wire/quotas.ts';
import { NO_CONTENT, type Reply, replyJson, replyLines, replyText } from '../replies/reply.ts';
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
    method: 'GET',
    path: `${APPLICATION}/versions`,
    permission: 'operator',
    sentence: 'The latest versions of an application, with what each changed.',
    run: async (context, { params }) => replyJson(await versions.list(context, params.applicationId!)),
  }),
  operatorRoute({
    method: 'GET',
    path: `${APPLICATION}/versions/:version`,
    permission: 'operator',
    sentence: 'The publish document of a version.',
    run: async (context, { params }) =>
      replyJson(await versions.show(context, params.applicationId!, versionIn(params.version!))),
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
    method: 'GET',
    path: '/operator/v1/use',
    permission: 'operator',
    sentence: 'What each application holds, and its requests of the last 24 hours.',
    run: async (context) => replyJson(await use.list(context)),
  }),
  operatorRoute({
    method: 'GET',
    path: `${APPLICATION}/use`,
    permission: 'operator',
    sentence: 'What an application holds, and its requests by the hour.',
    run: async (context, { params }) => replyJson(await use.show(context, params.applicationId!)),
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
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/backup',
    permission: 'operator',
    parameters: {
      application: { schema: { type: 'string' }, sentence: 'Of one application alone: its identifier.' },
    },
    refusesOthers: true,
    sentence: 'A backup of the database and the files of attachments, as of one moment: a tar archive.',
    run: (context, { query }) => replyBackup(() => openBackup(context, applicationIn(query))),
  }),
  operatorRoute({
    method: 'POST',
    path: '/operator/v1/restore',
    permission: 'operator',
    parameters: {
      application: { schema: { type: 'string' }, sentence: 'Restores one application of the backup: its identifier.' },
      as: { schema: { type: 'string' }, sentence: 'Restores it as another application with this name.' },
    },
    refusesOthers: true,
    sentence: 'Restores a backup, which is the body, into an empty server, or one application beside others.',
    run: async (context, { query, receiveFile }) => {
      const options = { applicationId: applicationIn(query), as: nameIn(query) };
      return replyJson(await restore(context, receiveFile(Number.POSITIVE_INFINITY), options));
    },
  }),
  operatorRoute({
    method: 'GET',
    path: '/operator/v1/metrics',
    permission: 'operator',
    sentence: 'The figures of `/metrics`.',
    run: async ({ metrics }) => {
      const { text, contentType } = await metrics();
      return replyText(text, {
        'content-type': contentType,
        'cache-control': 'no-store',
        'x-content-type-options': 'nosniff',
      });
    },
  }),
  ...OPERATOR_PEOPLE_ROUTES,
];

/**
 * The same for users whom the operator has named. Below an application, because a browser sends the cookie of a session to
 * the paths of its application alone.
 */
export const NAMED_OPERATOR_ROUTES: readonly OperatorRoute[] = OPERATOR_ROUTES.filter(
  ({ permission }) => permission === 'operator',
).map((row) => ({ ...row, path: row.path.replace('/operator/v1', '/v1/:signedInTo/operator') }));

function versionIn(text: string): number {
  if (!/^[1-9]\d{0,8}$/.test(text)) throw fault('NOT_FOUND');
  return Number(text);
}

function applicationIn({ application }: Input<unknown>['query']): string | undefined {
  if (application === undefined || isIdentifier('applicationId', application)) return application;
  throw fault('INVALID_PARAMETER', { parameter: 'application', reason: 'is not the identifier of an application' });
}

const NAME_MAX = 100;

function nameIn({ as }: Input<unknown>['query']): string | undefined {
  if (as === undefined || (as.trim() !== '' && as.length <= NAME_MAX)) return as;
  throw fault('INVALID_PARAMETER', { parameter: 'as', reason: `must be a name of 1 to ${NAME_MAX} characters` });
}

/** Opened when its headers are about to go out, so that a client that has left by then leaves nothing open. */
function replyBackup(open: () => Promise<Backup>): Reply {
  let backup: Backup | undefined;
  return {
    status: 200,
    headers: { 'content-type': 'application/x-tar', 'cache-control': 'no-store', 'x-content-type-options': 'nosniff' },
    stream: async () => {
      backup = await open();
      return Readable.from(backup.bytes, { objectMode: false });
    },
    afterStream: () => void backup?.close(),
  };
}
