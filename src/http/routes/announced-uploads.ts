// The routes of announced uploads: the tus protocol 1.0.0 with its extensions creation, expiration and termination. Statuses
// and headers are those of the protocol; the bodies of problems are those of all other routes.

import type { Context } from '../../context.ts';
import { Fault, fault } from '../../faults.ts';
import * as uploads from '../../operations/attachments/announced-uploads.ts';
import { NO_CONTENT, type Reply } from '../replies/reply.ts';
import type { Input } from '../requests/input.ts';
import {
  checkOffsetType,
  checkVersion,
  progressHeaders,
  readBytesHeader,
  readUploadMetadata,
  stateHeaders,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from '../requests/tus-headers.ts';
import { readCreatorId } from './attachments.ts';
import { COLLECTION, type UserRoute, userRoute } from './row.ts';

const UPLOADS = `${COLLECTION}/uploads`;
const UPLOAD = `${UPLOADS}/:attachmentId`;

type Run = (context: Context, input: Input<unknown>) => Promise<Reply>;

const VERSION_HEADER = { 'tus-resumable': TUS_VERSION } as const;

/** Both sides state their version, in refusals too. */
const withVersion =
  (run: Run): Run =>
  async (context, input) => {
    try {
      checkVersion(input.header);
      const reply = await run(context, input);
      return { ...reply, headers: { ...reply.headers, ...VERSION_HEADER } };
    } catch (error) {
      if (!(error instanceof Fault)) throw error;
      const refusal = new Fault(error.code, error.params, { ...error.headers, ...VERSION_HEADER });
      refusal.cause = error.cause;
      throw refusal;
    }
  };

const placeOf = ({ params }: Input<unknown>): uploads.UploadPath => ({
  collectionId: params.collectionId!,
  attachmentId: params.attachmentId!,
});

const announce: Run = async (context, { params, header, address }) => {
  const size = readBytesHeader(header, 'Upload-Length');
  const creatorId = readCreatorId({ header });
  const described = { ...readUploadMetadata(header), size, creatorId };
  const view = await uploads.announce(context, { collectionId: params.collectionId!, ...described });
  const { id, name, contentType } = view;
  return {
    status: 201,
    headers: { location: `${address()}/${id}`, ...progressHeaders(view) },
    body: JSON.stringify({ id, name, contentType, size }),
  };
};

const show: Run = async (context, input) => ({
  status: 200,
  headers: stateHeaders(await uploads.show(context, { ...placeOf(input), beginTransfer: input.beginTransfer })),
});

const append: Run = async (context, input) => {
  checkOffsetType(input.header);
  const offset = readBytesHeader(input.header, 'Upload-Offset');
  const view = await uploads.append(context, { ...placeOf(input), offset, receiveFile: input.receiveFile });
  return { ...NO_CONTENT, headers: progressHeaders(view) };
};

const cancel: Run = async (context, input) => {
  await uploads.cancel(context, placeOf(input));
  return NO_CONTENT;
};

/** For clients in environments that allow only GET and POST. */
const OVERRIDES: ReadonlyMap<string, Run> = new Map([
  ['PATCH', append],
  ['DELETE', cancel],
]);

const overridden: Run = async (context, input) => {
  const run = OVERRIDES.get(input.header('x-http-method-override') ?? '');
  if (run !== undefined) return run(context, input);
  const reason = `must be one of ${[...OVERRIDES.keys()].join(', ')}`;
  throw fault('INVALID_PARAMETER', { parameter: 'X-HTTP-Method-Override', reason });
};

export const UPLOAD_ROUTES: readonly UserRoute[] = [
  userRoute({
    method: 'OPTIONS',
    path: UPLOADS,
    permission: 'api',
    sentence: 'What is known of the tus protocol here.',
    run: ({ application }) => ({
      ...NO_CONTENT,
      headers: {
        ...VERSION_HEADER,
        'tus-version': TUS_VERSION,
        'tus-extension': TUS_EXTENSIONS,
        'tus-max-size': String(application.definition.maxAttachmentBytes),
      },
    }),
  }),
  userRoute({
    method: 'POST',
    path: UPLOADS,
    permission: 'api',
    group: 'attachments-write',
    sentence: 'Announces a file whose bytes come later; records may hold it from then on.',
    run: withVersion(announce),
  }),
  userRoute({
    method: 'HEAD',
    path: UPLOAD,
    permission: 'api',
    sentence: 'How many bytes of an announced file are there.',
    run: withVersion(show),
  }),
  userRoute({
    method: 'PATCH',
    path: UPLOAD,
    permission: 'api',
    takesBytes: true,
    sentence: 'Takes the next bytes of an announced file; the body is these bytes.',
    run: withVersion(append),
  }),
  userRoute({
    method: 'DELETE',
    path: UPLOAD,
    permission: 'api',
    sentence: 'Gives an announced file up.',
    run: withVersion(cancel),
  }),
  userRoute({
    method: 'POST',
    path: UPLOAD,
    permission: 'api',
    takesBytes: true,
    sentence: 'PATCH or DELETE, by X-HTTP-Method-Override.',
    run: withVersion(overridden),
  }),
];
