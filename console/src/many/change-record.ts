// One record among many: its value in a column is set, or it is deleted, if it is as it was when that was asked.

import { CartularyError, clientOf, type RawValue } from '../api/client.ts';
import type { Meant } from './collect.ts';

interface Place {
  readonly application: string;
  readonly collectionId: string;
}

const isChanged = (error: unknown): boolean => error instanceof CartularyError && error.status === 412;

/** `null` takes the value away. */
export async function setValue(
  { application, collectionId }: Place,
  { id: recordId, hash }: Meant,
  columnId: string,
  value: RawValue | null,
): Promise<void> {
  const { raw } = clientOf(application);
  const body = { values: { [columnId]: value }, replace: false };
  try {
    await raw.updateRecord({ collectionId, recordId, ifMatch: `"${hash}"`, body });
  } catch (error) {
    if (!isChanged(error)) throw error;
    // The reply to an earlier attempt may have been lost: then the record is as it was meant to become.
    const attempts = error instanceof CartularyError ? error.attempts : 1;
    const { body: now } = await raw.getRecord({ collectionId, recordId });
    const isDone = attempts > 1 && JSON.stringify(now.values[columnId] ?? null) === JSON.stringify(value);
    if (!isDone) throw error;
  }
}

export async function deleteRecord({ application, collectionId }: Place, { id, hash }: Meant): Promise<void> {
  try {
    await clientOf(application).raw.deleteRecord({ collectionId, recordId: id, ifMatch: `"${hash}"` });
  } catch (error) {
    // Gone is gone, whoever did it.
    if (!(error instanceof CartularyError && error.is('RECORD_NOT_FOUND'))) throw error;
  }
}

/** Said of the record alone: the others may fare better. */
export const isRefusal = (error: unknown): boolean =>
  error instanceof CartularyError && error.status < 500 && error.status !== 401 && error.status !== 429;
