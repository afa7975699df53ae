// An S3-compatible store on the loopback: s3rver, with what it lacks or gets wrong put right, and with failures on demand.
//
// Put right: it acknowledges uploads before they are written, keeps the beginning of those that break off, fails when two
// objects of a folder are removed at once, takes `bytes=0-0` for the whole file, cannot make a second page of a list (it
// needs DES for that), and knows neither the list of uploads under way nor their end, nor uploads that are no more.

import { createHash, randomBytes } from 'node:crypto';
import { createReadStream, createWriteStream, existsSync } from 'node:fs';
import { mkdir, mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises';
import { createServer, type IncomingMessage, type RequestListener, type ServerResponse } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { Readable, Transform } from 'node:stream';
import { pipeline } from 'node:stream/promises';
import { closedAtLast } from './left-open.ts';

const BUCKET = 'attachments';
const CREDENTIALS = 'S3RVER';
/** Of a list; S3 has 1000, and fewer make several pages of what a test can afford to store. */
const PAGE_ITEMS = 50;

interface Stored {
  readonly bucket: string;
  readonly key: string;
  content: Readable | Buffer | null;
  readonly metadata: object;
  range?: { start: number; end: number };
}

interface Store {
  getResourcePath(bucket: string, key: string | undefined, resource: string): string;
  putMetadata(bucket: string, key: string, metadata: object, md5: string): Promise<void>;
  putObject(object: Stored): Promise<{ size: number; md5: string }>;
  putPart(bucket: string, uploadId: string, number: string, content: Readable): Promise<{ size: number; md5: string }>;
  getObject(bucket: string, key: string, options?: { start?: number; end?: number }): Promise<Stored | null>;
  deleteObject(bucket: string, key: string): Promise<void>;
  listObjects(bucket: string, options: { prefix: string }): Promise<{ objects: { key: string; size: number }[] }>;
}

interface S3rver {
  readonly store: Store;
  readonly logger: { silent: boolean };
  configureBuckets(): Promise<unknown>;
  callback(): RequestListener;
}

type S3rverClass = new (options: object) => S3rver;

export interface TestS3 {
  /** `http://127.0.0.1:PORT`. */
  readonly endpoint: string;
  readonly bucket: string;
  /** As an operator would write it into CARTULARY_ATTACHMENTS; a prefix gives each test a place of its own. */
  url(prefix?: string): string;
  /** `METHOD /path?query` of every request so far. */
  readonly requests: readonly string[];
  /**
   * Decides about each request, given as in `requests`: a status to answer with, `cut` to break the connection off,
   * `lost` to do what it asks and break off instead of answering, undefined to serve it. The last decider counts.
   */
  decide(decider: (request: string) => number | 'cut' | 'lost' | undefined): void;
  /** Connections that are open. */
  connections(): Promise<number>;
  close(): Promise<void>;
}

/** Written whole or not at all. */
async function save(content: Readable | Buffer, path: string): Promise<{ size: number; md5: string }> {
  const md5 = createHash('md5');
  let size = 0;
  const count = new Transform({
    transform(chunk: Buffer, _encoding, callback) {
      md5.update(chunk);
      size += chunk.length;
      callback(null, chunk);
    },
  });
  await mkdir(dirname(path), { recursive: true });
  const neighbour = `${path}-${randomBytes(6).toString('hex')}`;
  try {
    await pipeline(Buffer.isBuffer(content) ? Readable.from([content]) : content, count, createWriteStream(neighbour));
    await rename(neighbour, path);
  } finally {
    await rm(neighbour, { force: true });
  }
  return { size, md5: md5.digest('hex') };
}

function putRight(store: Store): void {
  const pathOf = (bucket: string, key: string) => store.getResourcePath(bucket, key, 'object');
  store.putObject = async ({ bucket, key, content, metadata }) => {
    const saved = await save(content ?? Buffer.alloc(0), pathOf(bucket, key));
    await store.putMetadata(bucket, key, metadata, saved.md5);
    return saved;
  };
  store.putPart = async (bucket, uploadId, number, content) => {
    const path = join(store.getResourcePath(bucket, undefined, 'uploads'), uploadId, number);
    const saved = await save(content, path);
    await writeFile(`${path}.md5`, saved.md5);
    return saved;
  };
  const getObject = store.getObject.bind(store);
  store.getObject = async (bucket, key, options) => {
    if (options?.end !== 0) return getObject(bucket, key, options);
    const object = await getObject(bucket, key, { ...options, end: 1 });
    if (object?.range === undefined || !(object.content instanceof Readable)) return object;
    object.content.destroy();
    object.content = createReadStream(pathOf(bucket, key), { start: 0, end: 0 });
    object.range.end = 0;
    return object;
  };
  store.deleteObject = async (bucket, key) => {
    for (const resource of ['object', 'object.md5', 'metadata.json']) {
      await rm(store.getResourcePath(bucket, key, resource), { force: true });
    }
  };
}

/** Breaks the connection off when there is something to answer. */
function loseAnswer(response: ServerResponse): void {
  const cut = () => {
    response.socket?.destroy();
    return response;
  };
  Object.assign(response, { write: () => cut().destroyed, end: cut });
}

const NO_SUCH_UPLOAD = '<Error><Code>NoSuchUpload</Code><Message>There is no such upload.</Message></Error>';

interface Item {
  readonly key: string;
  /** What comes after the key in the answer. */
  readonly rest: string;
  /** Where the next page begins: after this. */
  readonly mark: string;
}

async function uploadItems(folder: string): Promise<Item[]> {
  const uploadIds = await readdir(folder).catch(() => []);
  const items = uploadIds.map(async (uploadId) => {
    // One that has ended since is no item any more.
    const key = await readFile(join(folder, uploadId, 'key'), 'utf8').catch(() => undefined);
    return key === undefined ? [] : { key, rest: `<UploadId>${uploadId}</UploadId>`, mark: `${key}/${uploadId}` };
  });
  return (await Promise.all(items)).flat();
}

async function objectItems(store: Store, prefix: string): Promise<Item[]> {
  const { objects } = await store.listObjects(BUCKET, { prefix });
  return objects.map(({ key, size }) => ({ key, rest: `<Size>${size}</Size>`, mark: key }));
}

interface List {
  readonly element: string;
  readonly items: readonly Item[];
  readonly query: URLSearchParams;
  readonly after: string;
}

/** One page; `last` is the mark of the item that it ends with, undefined on the last page. */
function pageOf({ element, items, query, after }: List): { xml: string; last: string | undefined } {
  const prefix = query.get('prefix') ?? '';
  const delimiter = query.get('delimiter') ?? '';
  const wanted = items
    .filter(({ key, mark }) => key.startsWith(prefix) && mark > after)
    .sort((a, b) => (a.mark < b.mark ? -1 : 1));
  const page = wanted.slice(0, PAGE_ITEMS);
  const lines = page.map(({ key, rest }) => {
    const end = delimiter === '' ? -1 : key.indexOf(delimiter, prefix.length);
    if (end < 0) return `<${element}><Key>${key}</Key>${rest}</${element}>`;
    return `<CommonPrefixes><Prefix>${key.slice(0, end + delimiter.length)}</Prefix></CommonPrefixes>`;
  });
  const more = wanted.length > page.length;
  return {
    xml: `<IsTruncated>${more}</IsTruncated>${[...new Set(lines)].join('')}`,
    last: more ? page.at(-1)?.mark : undefined,
  };
}

/** `GET /bucket?list-type=2`. */
async function listObjects(store: Store, query: URLSearchParams): Promise<string> {
  const items = await objectItems(store, query.get('prefix') ?? '');
  const { xml, last } = pageOf({ element: 'Contents', items, query, after: query.get('continuation-token') ?? '' });
  const next = last === undefined ? '' : `<NextContinuationToken>${last}</NextContinuationToken>`;
  return `<ListBucketResult>${xml}${next}</ListBucketResult>`;
}

/** `GET /bucket?uploads`. */
async function listUploads(folder: string, query: URLSearchParams): Promise<string> {
  const after = ['key-marker', 'upload-id-marker'].flatMap((name) => query.get(name) ?? []).join('/');
  const { xml, last } = pageOf({ element: 'Upload', items: await uploadItems(folder), query, after });
  const cut = last?.lastIndexOf('/') ?? 0;
  const next =
    last === undefined
      ? ''
      : `<NextKeyMarker>${last.slice(0, cut)}</NextKeyMarker><NextUploadIdMarker>${last.slice(cut + 1)}</NextUploadIdMarker>`;
  return `<ListMultipartUploadsResult>${xml}${next}</ListMultipartUploadsResult>`;
}

export async function startS3(): Promise<TestS3> {
  const directory = await mkdtemp(join(tmpdir(), 'cartulary-s3-'));
  const S3rver = createRequire(import.meta.url)('s3rver') as S3rverClass;
  const s3rver = new S3rver({ directory, silent: true, vhostBuckets: false, configureBuckets: [{ name: BUCKET }] });
  await s3rver.configureBuckets();
  s3rver.logger.silent = true;
  putRight(s3rver.store);
  const uploads = s3rver.store.getResourcePath(BUCKET, undefined, 'uploads');
  const serve = s3rver.callback();
  const requests: string[] = [];
  let decide: Parameters<TestS3['decide']>[0] = () => undefined;

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const line = `${request.method} ${request.url}`;
    requests.push(line);
    const decision = decide(line);
    if (decision === 'cut') {
      request.socket.destroy();
    } else if (typeof decision === 'number') {
      response.writeHead(decision, { connection: 'close' }).end();
    } else {
      if (decision === 'lost') loseAnswer(response);
      const { pathname, searchParams } = new URL(request.url ?? '/', 'http://127.0.0.1');
      const uploadId = searchParams.get('uploadId');
      const ofBucket = request.method === 'GET' && pathname.replace(/\/$/, '') === `/${BUCKET}`;
      const answer = (xml: string) => response.setHeader('content-type', 'application/xml').end(xml);
      if (ofBucket && searchParams.has('uploads')) {
        answer(await listUploads(uploads, searchParams));
      } else if (ofBucket && searchParams.has('list-type') && request.headers.authorization?.includes(CREDENTIALS)) {
        answer(await listObjects(s3rver.store, searchParams));
      } else if (request.method === 'POST' && uploadId !== null && !existsSync(join(uploads, uploadId))) {
        response.statusCode = 404;
        answer(NO_SUCH_UPLOAD);
      } else if (request.method === 'DELETE' && uploadId !== null) {
        await rm(join(uploads, uploadId), { recursive: true, force: true });
        response.writeHead(204).end();
      } else {
        serve(request, response);
      }
    }
  }

  const server = createServer((request, response) => {
    handle(request, response).catch((error: Error) => response.destroy(error));
  });
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const endpoint = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const query = new URLSearchParams({
    endpoint,
    region: 'us-east-1',
    accessKeyId: CREDENTIALS,
    secretAccessKey: CREDENTIALS,
  });
  return {
    endpoint,
    bucket: BUCKET,
    url: (prefix = '') => `s3://${BUCKET}${prefix === '' ? '' : `/${prefix}`}?${query}`,
    requests,
    decide: (decider) => {
      decide = decider;
    },
    connections: () =>
      new Promise((resolve, reject) => {
        server.getConnections((error, count) => (error ? reject(error) : resolve(count)));
      }),
    close: closedAtLast(async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
      await rm(directory, { recursive: true, force: true });
    }),
  };
}
