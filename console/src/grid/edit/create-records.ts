// New records of a paste, in requests of bounded size. Those that are refused do not keep the others from being created.

import { BatchError, sendMany } from '../../../../client/src/batches.ts';
import { clientOf, type RawNewRecord, type RawRecord, type RawValue } from '../../api/client.ts';
import { type Reason, refusalOf } from './reason.ts';

interface Created {
  readonly records: readonly RawRecord[];
  /** By the place in what was given. */
  readonly refused: readonly { readonly index: number; readonly reason: Reason }[];
  /** Where the work ended before its end, and why. */
  readonly stopped?: { readonly index: number; readonly reason: Reason };
}

/** What is to be created; with the same `key` and `from`, nothing is created twice. */
export interface NewRecords {
  readonly key: string;
  readonly rows: readonly Readonly<Record<string, RawValue>>[];
  /** The rows before it are done. */
  readonly from: number;
}

export async function createRecords(
  application: string,
  collectionId: string,
  { key, rows, from }: NewRecords,
  onProgress: (done: number) => void,
): Promise<Created> {
  const { raw } = clientOf(application);
  const records: RawRecord[] = [];
  const refused: { index: number; reason: Reason }[] = [];
  const outcomes = sendMany<RawNewRecord, RawRecord>(
    rows.slice(from).map((values) => ({ values })),
    {
      encoder: async () => (element) => JSON.stringify(element),
      send: async (text, idempotencyKey) => {
        const body = text as object as readonly RawNewRecord[];
        return (await raw.createRecords({ collectionId, body, idempotencyKey })).body;
      },
      decode: async (created) => created,
    },
    { onError: 'skip', concurrency: 1, idempotencyKey: (index) => `${key}-${from + index}` },
  );
  try {
    for await (const { index, record, error } of outcomes) {
      if (record === undefined) refused.push({ index: from + index, reason: refusalOf(error).reason });
      else records.push(record);
      onProgress(from + records.length + refused.length);
    }
  } catch (error) {
    if (!(error instanceof BatchError)) throw error;
    return { records, refused, stopped: { index: from + error.index, reason: refusalOf(error.cause).reason } };
  }
  return { records, refused };
}
