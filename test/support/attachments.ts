// What the tests of attachments share: a server whose attachments are on disk or in S3, uploads and downloads as short
// verbs, and a look at all that is kept of them.

import assert from 'node:assert/strict';
import { createHash, randomBytes } from 'node:crypto';
import { access, mkdtemp, rename, rm } from 'node:fs/promises';
import { Agent, request as httpRequest, type IncomingHttpHeaders } from 'node:http';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe } from 'node:test';
import type { BlobLocation } from '../../src/store/blobs/open.ts';
import { publishApplication } from './application.ts';
import { closeAll } from './left-open.ts';
import type { Scene } from './records.ts';
import { checkReply } from './reply-shapes.ts';
import { startS3 } from './s3.ts';
import { type ServerSettings, startTestServer } from './server.ts';
import { storedFiles } from './stored-files.ts';
import { until } from './until.ts';

export const STORES = ['disk', 's3'] as const;
export type StoreKind = (typeof STORES)[number];

export interface TestStore {
  readonly kind: StoreKind;
  readonly place: BlobLocation;
  /** Names of all that is kept, finished or not. */
  stored(): Promise<string[]>;
  /** As when a disk is not mounted, or the store does not answer; until it is called back. */
  goAway(): Promise<void>;
  comeBack(): Promise<void>;
  close(): Promise<void>;
}

export interface AttachmentScene extends Scene {
  readonly store: TestStore;
  close(): Promise<void>;
}

export async function openStore(kind: StoreKind): Promise<TestStore> {
  return kind === 'disk' ? openDisk() : openS3();
}

async function openDisk(): Promise<TestStore> {
  const home = await mkdtemp(join(tmpdir(), 'ct-attachments-'));
  const folder = join(home, 'attachments');
  return {
    kind: 'disk',
    place: { kind: 'disk', folder },
    stored: async () => {
      // A folder that has gone away is not the same as an empty one.
      await access(folder);
      return (await storedFiles(folder)).map((path) => path.slice(folder.length + 1));
    },
    goAway: () => rename(folder, `${folder}-away`),
    comeBack: () => rename(`${folder}-away`, folder),
    close: () => rm(home, { recursive: true, force: true }),
  };
}

async function openS3(): Promise<TestStore> {
  const s3 = await startS3();
  const prefix = 'some/where/';
  const { searchParams } = new URL(s3.url());
  const [accessKeyId = '', secretAccessKey = ''] = ['accessKeyId', 'secretAccessKey'].map((n) => searchParams.get(n)!);
  const credentials = { region: 'us-east-1', accessKeyId, secretAccessKey };
  const keys = async (query: string) => {
    const ask = () => fetch(`${s3.endpoint}/${s3.bucket}?${query}`, { headers: { authorization: accessKeyId } });
    // The store closes connections that were idle for a while, perhaps in the moment in which one is used again.
    const answer = await ask().catch(ask);
    const xml = await answer.text();
    assert.equal(answer.status, 200, xml);
    assert.match(xml, /<IsTruncated>false</, 'all on one page');
    return [...xml.matchAll(/<Key>(.*?)<\/Key>/g)].map(([, key = '']) => key);
  };
  return {
    kind: 's3',
    place: { kind: 's3', bucket: s3.bucket, prefix, endpoint: s3.endpoint, ...credentials },
    stored: async () => [
      ...(await keys('list-type=2')),
      ...(await keys('uploads')).map((key) => `${key} (upload under way)`),
    ],
    goAway: async () => s3.decide(() => 'cut'),
    comeBack: async () => s3.decide(() => undefined),
    close: () => s3.close(),
  };
}

export async function openAttachments(
  kind: StoreKind,
  document: object,
  settings: ServerSettings = {},
): Promise<AttachmentScene> {
  const store = await openStore(kind);
  const server = await startTestServer({ ...settings, attachments: store.place });
  const stop = () =>
    closeAll(
      () => server.close(),
      () => store.close(),
    );
  // What stays open would keep the process from ending.
  const app = await publishApplication(server, document).catch(async (error: unknown) => {
    await stop();
    throw error;
  });
  return {
    store,
    server,
    app,
    close: stop,
  };
}

/** The same cases on a server with each of the stores. */
export function onBothStores(
  title: string,
  { document, settings }: { document: object; settings?: ServerSettings },
  cases: (scene: () => AttachmentScene, kind: StoreKind) => void,
): void {
  for (const kind of STORES) {
    describe(`${title} (${kind})`, () => {
      let scene: AttachmentScene;
      before(async () => {
        scene = await openAttachments(kind, document, settings);
      });
      after(() => scene.close());
      cases(() => scene, kind);
    });
  }
}

export interface BytesReply {
  readonly status: number;
  readonly headers: IncomingHttpHeaders;
  readonly bytes: Buffer;
  /** Parsed where the answer says that it is JSON. */
  // biome-ignore lint/suspicious/noExplicitAny: tests look into answers freely
  readonly body: any;
}

export type Headers = Record<string, string>;

export interface Exchange {
  readonly token?: string;
  readonly headers?: Headers;
  readonly body?: Uint8Array | string;
  /** Without a declared length. */
  readonly chunked?: boolean;
}

/** Whoever needs longer than this has met a broken server. */
const PATIENCE_MS = 30_000;
const agent = new Agent({ keepAlive: true, maxSockets: 16 });

/** Bytes of other types are not decoded: the check of replies only asks whether there are any. */
function textOf(bytes: Buffer, headers: IncomingHttpHeaders): string {
  const isText = /^application\/(?:json|x-ndjson)/.test(headers['content-type'] ?? '');
  return isText ? bytes.toString('utf8') : bytes.toString('latin1', 0, 100);
}

export function exchange(address: string, method: string, path: string, options: Exchange = {}): Promise<BytesReply> {
  const { token, body, chunked = false } = options;
  const bytes = body === undefined ? undefined : Buffer.from(body);
  const headers = {
    ...(token === undefined ? {} : { authorization: `Bearer ${token}` }),
    ...(bytes === undefined || chunked ? {} : { 'content-length': String(bytes.length) }),
    ...options.headers,
  };
  return new Promise((resolve, reject) => {
    const request = httpRequest(address + path, { agent, method, headers, timeout: PATIENCE_MS }, (response) => {
      const chunks: Buffer[] = [];
      response.on('data', (chunk: Buffer) => chunks.push(chunk)).on('error', reject);
      response.on('end', () => {
        const received = Buffer.concat(chunks);
        const { statusCode: status = 0, headers: described } = response;
        try {
          checkReply(method, path, {
            status,
            contentType: described['content-type'],
            text: textOf(received, described),
          });
        } catch (error) {
          reject(error);
          return;
        }
        const isAnswer = response.headers['x-request-id'] !== undefined && response.headers.etag === undefined;
        const json = isAnswer && received.length > 0 ? JSON.parse(received.toString('utf8')) : undefined;
        resolve({ status: response.statusCode ?? 0, headers: response.headers, bytes: received, body: json });
      });
    });
    request.on('timeout', () => request.destroy(new Error(`no answer within ${PATIENCE_MS} ms`)));
    request.on('error', reject);
    if (chunked) request.flushHeaders();
    if (bytes === undefined) request.end();
    else if (!chunked) request.end(bytes);
    else {
      for (let at = 0; at < bytes.length; at += 60_000) request.write(bytes.subarray(at, at + 60_000));
      request.end();
    }
  });
}

export interface Metadata {
  readonly id: string;
  readonly name: string;
  readonly contentType: string;
  readonly size: number;
}

/** The attachments of one collection as one caller, the admin unless another token is given. */
export function filesOf({ server, app }: Scene, collection: string, token = app.admin.token) {
  const path = `/v1/${app.id}/collections/${app.ids[collection]?.id ?? collection}/attachments`;
  const ask =
    (method: string) =>
    (id: string, headers: Headers = {}, query = '') =>
      exchange(server.address, method, `${path}/${id}${query}`, { token, headers });
  return {
    path,
    send: (body: Uint8Array | string, headers: Headers = {}, more: Exchange = {}) =>
      exchange(server.address, 'POST', path, { token, headers, body, ...more }),
    /** An upload that must work. */
    upload: async (body: Uint8Array | string, headers: Headers = {}) =>
      uploaded(await exchange(server.address, 'POST', path, { token, headers, body })),
    /** An upload under this name that must work. */
    uploadNamed: async (name: string, body: Uint8Array | string = `of ${name}`) => {
      const headers = { 'content-disposition': `attachment; filename*=UTF-8''${encodeURIComponent(name)}` };
      return uploaded(await exchange(server.address, 'POST', path, { token, headers, body }));
    },
    get: ask('GET'),
    head: ask('HEAD'),
  };
}

export type Files = ReturnType<typeof filesOf>;

/** The answer to an upload that must have worked. */
export function uploaded(reply: BytesReply): Metadata {
  assert.equal(reply.status, 200, JSON.stringify(reply.body));
  return reply.body;
}

/** The params of an answer that must be this refusal, in the form that every error has. */
export function refusedBytes(reply: BytesReply, status: number, code: string): BytesReply['body'] {
  const what = `${reply.status} ${reply.bytes.subarray(0, 300)}`;
  assert.equal(reply.status, status, what);
  assert.equal(reply.headers['content-type'], 'application/json; charset=utf-8', what);
  assert.equal(reply.body.code, code, what);
  assert.ok(typeof reply.headers['x-request-id'] === 'string', what);
  return reply.body.params;
}

/** An Attachment value as a client writes it that knows nothing but the identifier. */
export const attachment = ({ id }: { readonly id: string }) => ({ type: 'Attachment', id });
/** As the server answers it. */
export const filled = ({ id, name, contentType, size }: Metadata) => ({
  type: 'Attachment',
  id,
  name,
  contentType,
  size,
});

export const sha256 = (bytes: Uint8Array): string => createHash('sha256').update(bytes).digest('hex');
export const randomFile = (size: number): Buffer => randomBytes(size);

/** All rows and all that is stored. */
export async function traces({ server, app, store }: AttachmentScene): Promise<string[]> {
  const rows = await server.database.sql(`select id, state from app_${app.id}.attachments order by id`);
  return [...rows.map(([id, state]) => `row ${id} ${state}`), ...(await store.stored())];
}

/** Waits until nothing more is left than there was before. */
export async function untilGone(scene: AttachmentScene, before: readonly string[]): Promise<void> {
  const known = new Set(before);
  let left: string[] = [];
  await until('what an upload left to be cleared away', async () => {
    left = (await traces(scene)).filter((trace) => !known.has(trace));
    return left.length === 0;
  }).catch((error: unknown) => {
    throw new Error(`still there: ${left.join(', ')}`, { cause: error });
  });
}

/** The activities of attachments so far, oldest first, as `subType attachmentId`. */
export async function attachmentActivities({ server, app }: Scene): Promise<BytesReply['body'][]> {
  const rows = await server.database.sql(`select entry from app_${app.id}.activity order by id`);
  return rows.map(([entry]) => JSON.parse(entry as string)).filter(({ type }) => type === 'attachment');
}

/** Republishes the application with other collections or settings. */
export async function republish({ server, app }: Scene, document: object, query = ''): Promise<void> {
  const body = { id: app.id, name: 'Test', activityLogEnabled: true, ...document };
  const reply = await server.operator('POST', `/applications${query}`, body);
  assert.equal(reply.status, 200, reply.text);
}

/** Well-formed, and of nobody: no identifier made by the server begins like this. */
export const NO_ATTACHMENT = `a${'0'.repeat(26)}`;
