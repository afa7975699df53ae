// The routes of announced uploads: the tus protocol 1.0.0 with its extensions creation, expiration and termination. Statuses
// and headers are those of the protocol; the bodies of problems are those of all other routes.

import type { Context } from '../../context.ts';
import { fault } from '../../faults.ts';
import { freed } from '../../load/freed-bytes.ts';
import * as uploads from '../../operations/attachments/announced-uploads.ts';
import { AttachmentMetadata } from '../../wire/attachments.ts';
import { NO_CONTENT, type Reply } from '../replies/reply.ts';
import { json, nothing, withHeaders } from '../replies/success.ts';
import type { Input } from '../requests/input.ts';
import type { Parameters } from '../requests/query.ts';
import {
  checkOffsetType,
  checkVersion,
  progressHeaders,
  REPLY_HEADERS,
  readBytesHeader,
  readUploadMetadata,
  stateHeaders,
  TUS_EXTENSIONS,
  TUS_VERSION,
} from '../requests/tus-headers.ts';
import { CREATOR, readCreatorId } from './attachments.ts';
import { COLLECTION, keyedRoute, type UserRoute, userRoute } from './row.ts';

const UPLOADS = `${COLLECTION}/uploads`;
const UPLOAD = `${UPLOADS}/:attachmentId`;

type Run = (context: Context, input: Input<unknown>) => Promise<Reply>;

const withVersion =
  (run: Run): Run =>
  async (context, input) => {
    checkVersion(input.header);
    return run(context, input);
  };

const placeOf = ({ params }: Input<unknown>): uploads.UploadPath => ({
  collectionId: params.collectionId!,
  attachmentId: params.attachmentId!,
});

const announce: Run = async (context, { params, header, address }) => {
  const size = readBytesHeader(header, 'Upload-Length');
  const creatorId = readCreatorId({ header });
  const described = { ...readUploadMetadata(header), size, creatorId };
  return uploads.announce(context, { collectionId: params.collectionId!, ...described }, (view) => {
    const { id, name, contentType } = view;
    return {
      status: 201,
      headers: { location: `${address()}/${id}`, ...progressHeaders(view) },
      body: JSON.stringify({ id, name, contentType, size }),
    };
  });
};

const show: Run = async (context, input) => ({
  status: 200,
  headers: stateHeaders(await uploads.show(context, { ...placeOf(input), beginTransfer: input.beginTransfer })),
});

const append: Run = async (context, input) => {
  checkOffsetType(input.header);
  const offset = readBytesHeader(input.header, 'Upload-Offset');
  const receiveFile = (bytesMax: number) => freed(input.receiveFile(bytesMax));
  const view = await uploads.append(context, { ...placeOf(input), offset, receiveFile });
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

const PROGRESS = { 'Upload-Offset': 'How many bytes are there, and where the next ones begin.' };
const WHOLE = { type: 'integer', minimum: 0 };
const LENGTH = { schema: WHOLE, sentence: 'The size of the file in bytes.', required: true } as const;
const OFFSET = { schema: WHOLE, sentence: 'How many bytes are there already.' } as const;
const METADATA = {
  schema: { type: 'string' },
  sentence: 'Pairs of a key and a base64 value: `filename` and `filetype`.',
} as const;
const OVERRIDE = {
  schema: { type: 'string', enum: [...OVERRIDES.keys()] },
  sentence: 'The method that is meant.',
  required: true,
} as const;
const VERSION = {
  'Tus-Resumable': {
    schema: { type: 'string', const: TUS_VERSION },
    sentence: 'The version of the protocol.',
    required: true,
  },
} as const satisfies Parameters;

const ROWS: readonly UserRoute[] = [
  userRoute({
    method: 'OPTIONS',
    path: UPLOADS,
    permission: 'api',
    operation: 'describeUploads',
    sentence: 'What is known of the tus protocol here.',
    success: [nothing('In the headers.')],
    run: ({ application }) => ({
      ...NO_CONTENT,
      headers: {
        'tus-version': TUS_VERSION,
        'tus-extension': TUS_EXTENSIONS,
        'tus-max-size': String(application.definition.maxAttachmentBytes),
      },
    }),
  }),
  keyedRoute({
    method: 'POST',
    path: UPLOADS,
    permission: 'api',
    group: 'attachments-write',
    headers: { ...VERSION, 'Upload-Length': LENGTH, 'Upload-Metadata': METADATA, 'X-Service-CreatorId': CREATOR },
    operation: 'announceUpload',
    sentence: 'Announces a file whose bytes come later; records may hold it from then on.',
    success: [withHeaders(json(AttachmentMetadata, 'The attachment.', 201), { Location: 'Where its bytes go.' })],
    run: withVersion(announce),
  }),
  userRoute({
    method: 'HEAD',
    path: UPLOAD,
    permission: 'api',
    headers: VERSION,
    operation: 'getUpload',
    sentence: 'How many bytes of an announced file are there.',
    success: [withHeaders({ status: 200, sentence: 'In the headers.' }, PROGRESS)],
    run: withVersion(show),
  }),
  userRoute({
    method: 'PATCH',
    path: UPLOAD,
    permission: 'api',
    takesBytes: true,
    headers: { ...VERSION, 'Upload-Offset': OFFSET },
    operation: 'appendToUpload',
    sentence: 'Takes the next bytes of an announced file; the body is these bytes.',
    success: [withHeaders(nothing('Taken.'), PROGRESS)],
    run: withVersion(append),
  }),
  userRoute({
    method: 'DELETE',
    path: UPLOAD,
    permission: 'api',
    headers: VERSION,
    operation: 'cancelUpload',
    sentence: 'Gives an announced file up.',
    success: [nothing('Given up.')],
    run: withVersion(cancel),
  }),
  userRoute({
    method: 'POST',
    path: UPLOAD,
    permission: 'api',
    takesBytes: true,
    headers: { ...VERSION, 'Upload-Offset': OFFSET, 'X-HTTP-Method-Override': OVERRIDE },
    operation: 'overrideUpload',
    sentence: 'PATCH or DELETE, by X-HTTP-Method-Override.',
    success: [nothing('As the other method replies.')],
    run: withVersion(overridden),
  }),
];

export const UPLOAD_ROUTES: readonly UserRoute[] = ROWS.map((row) => ({
  ...row,
  // Clients of the protocol in browsers read its headers.
  exposes: REPLY_HEADERS,
  replyHeaders: { 'tus-resumable': TUS_VERSION },
}));
