// Announced uploads as short verbs, as one caller of one collection.

import assert from 'node:assert/strict';
import type { TestApplication } from './application.ts';
import { type BytesReply, type Exchange, exchange, type Headers, type Metadata } from './attachments.ts';
import { head, Wire } from './http-client.ts';

export const MIB = 1024 * 1024;
export const DOCUMENT = {
  maxAttachmentBytes: 64 * MIB,
  collections: [
    {
      id: 'tfiles00',
      name: 'Files',
      columns: [
        { name: 'Title', type: 'String' },
        { name: 'File', type: 'Attachment' },
      ],
    },
    { id: 'tothers0', name: 'Others', columns: [{ name: 'File', type: 'Attachment' }] },
  ],
};

const TUS = { 'tus-resumable': '1.0.0' };
const BYTES = { 'content-type': 'application/offset+octet-stream' };

const base64 = (text: string): string => Buffer.from(text, 'utf8').toString('base64');

/** `{filename: 'a b.png'}` → `filename YSBiLnBuZw==`. */
export const metadata = (values: Record<string, string>): string =>
  Object.entries(values)
    .map(([key, value]) => `${key} ${base64(value)}`)
    .join(',');

export function uploadsOf(
  address: string,
  { id, ids, admin }: Pick<TestApplication, 'id' | 'ids' | 'admin'>,
  { token = admin.token, collection = 'Files' } = {},
) {
  const path = `/v1/${id}/collections/${ids[collection]?.id ?? collection}/uploads`;
  const ask = (method: string, to: string, headers: Headers, more: Exchange = {}) =>
    exchange(address, method, to, { token, headers: { ...TUS, ...headers }, ...more });
  return {
    path,
    announce: (size: number | string, headers: Headers = {}) =>
      ask('POST', path, { 'upload-length': String(size), ...headers }),
    /** An announcement that must work. */
    announced: async (size: number, headers: Headers = {}): Promise<Metadata> => {
      const reply = await ask('POST', path, { 'upload-length': String(size), ...headers });
      assert.equal(reply.status, 201, JSON.stringify(reply.body));
      return reply.body;
    },
    state: (attachment: string, headers: Headers = {}) => ask('HEAD', `${path}/${attachment}`, headers),
    /** How far it is, of one that must be there. */
    offset: async (attachment: string): Promise<number> => {
      const reply = await ask('HEAD', `${path}/${attachment}`, {});
      assert.equal(reply.status, 200, `HEAD answered ${reply.status}`);
      return Number(reply.headers['upload-offset']);
    },
    append: (attachment: string, offset: number | string, body: Uint8Array | string, more: Exchange = {}) =>
      ask(
        'PATCH',
        `${path}/${attachment}`,
        { ...BYTES, 'upload-offset': String(offset), ...more.headers },
        { body, ...without(more) },
      ),
    cancel: (attachment: string, headers: Headers = {}) => ask('DELETE', `${path}/${attachment}`, headers),
    options: (headers: Headers = {}) => exchange(address, 'OPTIONS', path, { token, headers }),
    /** A PATCH that declares so many bytes, sends these and then neither ends nor goes. */
    begin: async (
      attachment: string,
      { offset = 0, declared, sent }: { offset?: number; declared: number; sent: Uint8Array },
    ) => {
      const wire = await Wire.open(address);
      const headers = { ...TUS, ...BYTES, authorization: `Bearer ${token}` };
      const lengths = { 'upload-offset': String(offset), 'content-length': String(declared) };
      return wire.write(head('PATCH', `${path}/${attachment}`, { ...headers, ...lengths })).write(sent);
    },
  };
}

export type Uploads = ReturnType<typeof uploadsOf>;

const without = ({ headers: _headers, ...rest }: Exchange): Exchange => rest;

export function assertAppended(reply: BytesReply, offset: number): void {
  assert.equal(reply.status, 204, JSON.stringify(reply.body));
  assert.equal(reply.headers['upload-offset'], String(offset));
  assert.equal(reply.headers['tus-resumable'], '1.0.0');
}
