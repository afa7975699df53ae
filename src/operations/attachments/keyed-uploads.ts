// Uploads in one request that have an Idempotency-Key. The key is taken before the first byte, by a row of its own: a
// transaction cannot stay open for as long as a file takes. The attachment then becomes available in one transaction with
// the reply. A repetition has its bytes read and compared, and nothing of them stored.

import { createHash } from 'node:crypto';
import type { Context, KeptReply, KeyedRequest } from '../../context.ts';
import { sha256Hex } from '../../domain/hash.ts';
import { insertEntries } from '../../store/activity/activity.ts';
import { completeAttachment } from '../../store/attachments/attachments.ts';
import { releaseKey, type UploadUnderWay } from '../../store/idempotency/keys.ts';
import { goneNodes } from '../../store/nodes/messages.ts';
import type { AttachmentMetadata } from '../../wire/attachments.ts';
import { type InCollection, inCollection } from '../in-collection.ts';
import {
  AlreadyDone,
  commitKept,
  keepStatements,
  keyInUse,
  keyOf,
  otherContent,
  storedReply,
  takeKey,
} from '../keyed-requests.ts';
import type { completeJoined } from './joined-attachments.ts';
import { creatorOf, type IncomingFile, storeUpload, type Upload } from './uploads.ts';

/** Throws AlreadyDone if the file was uploaded before. */
export async function uploadKeyed<R extends KeptReply>(
  context: Context,
  { keyed, ...input }: Upload & { readonly keyed: KeyedRequest },
  reply: (attachment: AttachmentMetadata) => R,
): Promise<R> {
  const at = inCollection(context, input.collectionId);
  const createdBy = await creatorOf(at, input.creatorId);
  const open = () => input.open(at.application.definition.maxAttachmentBytes);
  const { node, activeUploads } = at.attachments;
  const id = at.ids.long('a');
  const active = await activeUploads.begin(id);
  const underWay = { attachmentId: id, node };
  try {
    await claimKey(at, keyed, underWay).catch((error: unknown) => throwUnlessOther(error, open));
    const file = await open();
    const complete = completeKeyed(keyed, { file, reply });
    return reply(await storeUpload(at, { id, file, createdBy, complete }));
  } catch (error) {
    await release(at, keyed, underWay);
    throw error;
  } finally {
    active.end();
  }
}

/** The bytes of a repetition are read to compare them, unless the reply was made without them. */
async function throwUnlessOther(error: unknown, open: () => IncomingFile | Promise<IncomingFile>): Promise<never> {
  if (error instanceof AlreadyDone && error.found.content !== null) {
    await assertSameFile(error.found.content, await open());
  }
  throw error;
}

/** Takes the key for this upload, also from one whose node is gone. */
async function claimKey(at: InCollection, keyed: KeyedRequest, upload: UploadUnderWay): Promise<void> {
  const other = await tryClaim(at, keyed, { upload, gone: undefined });
  if (other === undefined) return;
  if (await isReceived(at, other)) throw keyInUse();
  if ((await tryClaim(at, keyed, { upload, gone: other })) !== undefined) throw keyInUse();
}

/** Returns the upload that has the key. The claim is repeatable: a request that starts over has released it. */
function tryClaim(
  at: InCollection,
  keyed: KeyedRequest,
  { upload, gone }: { readonly upload: UploadUnderWay; readonly gone: UploadUnderWay | undefined },
): Promise<UploadUnderWay | undefined> {
  return at.store.repeatable.transaction(async (tx) => {
    const held = await takeKey(at, tx, keyed);
    const other = held?.expired === false ? held.upload : null;
    if (other !== null && other.attachmentId !== gone?.attachmentId) return other;
    await commitKept(tx, keepStatements(at, tx, { keyed, held, content: null, reply: null, upload }));
    return undefined;
  });
}

async function isReceived(at: InCollection, { attachmentId, node }: UploadUnderWay): Promise<boolean> {
  const { activeUploads, node: ours, system, goneCheckPauseMs: pauseMs } = at.attachments;
  if (node === ours) return activeUploads.has(attachmentId);
  const gone = await at.withoutSlot(() => goneNodes(system, [node], { pauseMs }));
  return !gone.has(node);
}

/** If the database is away, the release is tried again (operations/upkeep/unreleased-uploads). */
async function release(at: InCollection, keyed: KeyedRequest, underWay: UploadUnderWay): Promise<void> {
  const key = keyOf(at, keyed);
  try {
    await releaseKey(at.store.repeatable, key, underWay);
  } catch {
    const { unreleasedKeys } = at.attachments.activeUploads;
    unreleasedKeys.set(underWay.attachmentId, { applicationId: at.application.id, ...key });
  }
}

const contentOf = ({ name, contentType }: IncomingFile, hash: string): string =>
  sha256Hex(JSON.stringify([name, contentType, hash]));

async function assertSameFile(kept: string, file: IncomingFile): Promise<void> {
  const hash = createHash('sha256');
  for await (const chunk of file.bytes) hash.update(chunk);
  if (contentOf(file, hash.digest('hex')) !== kept) throw otherContent();
}

/** Completes the attachment and keeps the reply, unless another upload has taken the key over. */
const completeKeyed =
  <R extends KeptReply>(
    keyed: KeyedRequest,
    { file, reply }: { readonly file: IncomingFile; readonly reply: (attachment: AttachmentMetadata) => R },
  ): typeof completeJoined =>
  (at, done, entries) => {
    const { id, size } = done;
    const { name, contentType } = file;
    const content = contentOf(file, done.hash);
    return at.store.transaction(async (tx) => {
      const held = await takeKey(at, tx, { ...keyed, content });
      if (held?.expired === false && held.upload?.attachmentId !== id) throw keyInUse();
      const { text, params } = completeAttachment(tx.schema, done);
      const rows = await tx.rows(text, params);
      if (rows.length === 0) return rows;
      const kept = storedReply(reply({ id, name, contentType, size }));
      await commitKept(tx, [
        ...(entries.length === 0 ? [] : [insertEntries(tx.schema, entries)]),
        ...keepStatements(at, tx, { keyed, held, content, reply: kept, upload: null }),
      ]);
      return rows;
    });
  };
