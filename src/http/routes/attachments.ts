// The routes of attachments. Uploads and downloads have bytes as their body, and a browser runs nothing of a download.

import type { Context } from '../../context.ts';
import type { ByteRange } from '../../domain/attachments/byte-range.ts';
import { contentDisposition } from '../../domain/attachments/filenames.ts';
import { fault } from '../../faults.ts';
import * as attachments from '../../operations/attachments/attachments.ts';
import { uploadKeyed } from '../../operations/attachments/keyed-uploads.ts';
import {
  getThumbnail,
  readThumbnailSize,
  THUMBNAIL_SIZES,
  THUMBNAIL_TYPE,
} from '../../operations/attachments/thumbnails.ts';
import { upload } from '../../operations/attachments/uploads.ts';
import { staleAsBusy } from '../../operations/current-definition.ts';
import { AttachmentMetadata } from '../../wire/attachments.ts';
import { isIdentifier, PATTERNS } from '../../wire/identifiers.ts';
import { NOT_MODIFIED, type Reply, replyJson } from '../replies/reply.ts';
import { bytes, json, UNCHANGED, withHeaders } from '../replies/success.ts';
import { unchanged, VARY, type Validators } from '../requests/conditional.ts';
import { fileBody } from '../requests/incoming-file.ts';
import type { Input } from '../requests/input.ts';
import type { Parameters } from '../requests/query.ts';
import { rangeApplies, readRange } from '../requests/ranges.ts';
import { COLLECTION, keyedRoute, type UserRoute, userRoute } from './row.ts';

const ATTACHMENTS = `${COLLECTION}/attachments`;

/** A browser that opens the URL saves a file: it runs and shows nothing of it, and does not guess its type. */
const INERT = {
  'content-security-policy': "sandbox; default-src 'none'",
  'x-content-type-options': 'nosniff',
  'cross-origin-resource-policy': 'same-origin',
} as const;

/** The content of an attachment never changes. */
const IMMUTABLE = { 'cache-control': 'private, max-age=31536000, immutable', vary: VARY } as const;
/** Permissions change, and several people may use one browser: it revalidates each time, which the ETag makes cheap. */
const REVALIDATED = { 'cache-control': 'private, no-cache', vary: VARY } as const;

/**
 * The uses of an attachment by a page (Sec-Fetch-Dest) that are allowed: to show it or to save it. Any other would run it,
 * style a page with it, or open it inside of a page. Undefined: programs do not send the header.
 */
const DESTINATIONS: ReadonlySet<string | undefined> = new Set([
  undefined,
  'document',
  'empty',
  'image',
  'audio',
  'video',
  'track',
]);

function refuseAsPartOfPage(header: Input<unknown>['header']): void {
  if (!DESTINATIONS.has(header('sec-fetch-dest'))) throw fault('FORBIDDEN');
}

/**
 * Sessions are used by browsers. So are passwords, which browsers remember and send by themselves; their caches then ignore
 * them, whatever `Vary` says. Over plain http only the user agent shows that the client is a browser.
 */
function cachingFor({ signedInBy }: Context, header: Input<unknown>['header']) {
  if (signedInBy === 'token') return IMMUTABLE;
  const isBrowser = header('sec-fetch-dest') !== undefined || header('user-agent')?.startsWith('Mozilla/') === true;
  return signedInBy === 'session' || isBrowser ? REVALIDATED : IMMUTABLE;
}

/** Undefined: the caller is the creator. The operation checks whether the caller may name another user. */
export function readCreatorId({ header }: Pick<Input<unknown>, 'header'>): string | undefined {
  const creatorId = header('x-service-creatorid');
  if (creatorId === undefined || isIdentifier('userId', creatorId)) return creatorId;
  throw fault('INVALID_PARAMETER', { parameter: 'X-Service-CreatorId', reason: `must fit ${PATTERNS.userId}` });
}

const THUMBNAIL_SIZE = {
  schema: { type: 'integer', enum: THUMBNAIL_SIZES },
  sentence: 'Asks for a thumbnail of an image, at most this wide and high.',
} as const;

export const CREATOR = {
  schema: { type: 'string', pattern: PATTERNS.userId },
  sentence: 'Who counts as the creator; for admins, the caller by default.',
} as const;

const UPLOAD_HEADERS = {
  'Content-Disposition': { schema: { type: 'string' }, sentence: "Its `filename` becomes the attachment's name." },
  'X-Service-CreatorId': CREATOR,
} as const satisfies Parameters;

const DOWNLOAD_HEADERS = {
  'If-None-Match': { schema: { type: 'string' }, sentence: 'The `ETag` of what the client has.' },
  'If-Modified-Since': { schema: { type: 'string' }, sentence: 'The `Last-Modified` of what the client has.' },
  Range: { schema: { type: 'string' }, sentence: 'The part of the file to send; not of thumbnails.' },
  'If-Range': { schema: { type: 'string' }, sentence: 'Send the part only if the file is still this one.' },
} as const satisfies Parameters;

const FILE_HEADERS = {
  ETag: 'The hash of the content, for conditions.',
  'Last-Modified': 'When the file was uploaded.',
  'Content-Disposition': 'The name of the file.',
};

export const ATTACHMENT_ROUTES: readonly UserRoute[] = [
  keyedRoute({
    method: 'POST',
    path: ATTACHMENTS,
    permission: 'api',
    group: 'attachments-write',
    takesBytes: true,
    headers: UPLOAD_HEADERS,
    operation: 'uploadAttachment',
    sentence: 'Uploads a file; the body is its bytes, or a form with one file.',
    success: [json(AttachmentMetadata, 'The attachment, as a value of a record names it.')],
    run: async (context, input) => {
      const body = fileBody(input);
      const place = { collectionId: input.params.collectionId!, creatorId: readCreatorId(input) };
      const { keyed } = context;
      try {
        if (keyed !== undefined) return await uploadKeyed(context, { open: body.open, keyed, ...place }, replyJson);
        return replyJson(await upload(context, { open: body.open, ...place }));
      } catch (error) {
        throw body.isForm ? staleAsBusy(error) : error;
      } finally {
        body.close();
      }
    },
  }),
  userRoute({
    method: 'GET',
    path: `${ATTACHMENTS}/:attachmentId`,
    permission: 'api',
    group: 'attachments-read',
    parameters: { size: THUMBNAIL_SIZE },
    headers: DOWNLOAD_HEADERS,
    operation: 'downloadAttachment',
    sentence: 'The bytes of an attachment, or of a part of it; with `size` a small picture of an image.',
    success: [
      withHeaders(bytes('The file, or the thumbnail.'), FILE_HEADERS),
      withHeaders(bytes('The part of the file that was asked for.', 206), FILE_HEADERS),
      UNCHANGED,
    ],
    run: async (context, { params, query, header, isHead }) => {
      refuseAsPartOfPage(header);
      const place = { collectionId: params.collectionId!, attachmentId: params.attachmentId! };
      const view = await attachments.get(context, place);
      const size = query.size === undefined ? undefined : readThumbnailSize(query.size);
      const tag = size === undefined ? `"${view.hash}"` : `"${view.hash}-${size}"`;
      const validators = { etag: tag, lastModifiedMs: view.uploadedAtMs };
      const headers = {
        etag: tag,
        'last-modified': new Date(view.uploadedAtMs).toUTCString(),
        'content-disposition': contentDisposition(size === undefined ? view.name : thumbnailName(view.name, size)),
        ...cachingFor(context, header),
        ...INERT,
      };
      const conditions = { ifNoneMatch: header('if-none-match'), ifModifiedSince: header('if-modified-since') };
      if (unchanged(conditions, validators)) return NOT_MODIFIED(headers);
      if (size !== undefined) {
        const { length, read } = await getThumbnail(context, { size, hash: view.hash, ...place });
        const described = { 'content-type': THUMBNAIL_TYPE, 'content-length': String(length) };
        return { status: 200, headers: { ...headers, ...described }, stream: read };
      }
      // Ranges are for GET alone (RFC 9110 section 14.2).
      const range = isHead ? undefined : rangeOf(header, view.size, validators);
      return wholeOrPart(view, headers, {
        range,
        open: () => attachments.read(context, { size: view.size, range, ...place }),
      });
    },
  }),
];

/** `photo.jpg` → `photo-256.webp`. */
const thumbnailName = (name: string, size: number): string => `${name.replace(/(?<=.)\.[^.]*$/, '')}-${size}.webp`;

/** Undefined: the whole file. */
function rangeOf(header: Input<unknown>['header'], size: number, validators: Validators): ByteRange | undefined {
  if (!rangeApplies(header('if-range'), validators)) return undefined;
  const range = readRange(header('range'), size);
  if (range === 'unsatisfiable') {
    throw fault('RANGE_NOT_SATISFIABLE', { size }, { 'content-range': `bytes */${size}` });
  }
  return range === 'all' ? undefined : range;
}

function wholeOrPart(
  { contentType, size }: attachments.AttachmentView,
  headers: Readonly<Record<string, string>>,
  { range, open }: { range: ByteRange | undefined; open: NonNullable<Reply['stream']> },
): Reply {
  const common = { 'content-type': contentType, 'accept-ranges': 'bytes', ...headers };
  const content = { stream: open, ownsBytes: true };
  if (range === undefined) return { status: 200, headers: { 'content-length': String(size), ...common }, ...content };
  const { start, end } = range;
  const described = { 'content-length': String(end - start + 1), 'content-range': `bytes ${start}-${end}/${size}` };
  return { status: 206, headers: { ...common, ...described }, ...content };
}
