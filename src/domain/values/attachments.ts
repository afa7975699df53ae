// Finds attachments inside values: which columns may hold any, and which ones a value holds.

import type { Column } from '../../wire/applications.ts';
import type { Value } from '../../wire/values.ts';

export function mayHoldAttachments(column: Column): boolean {
  if (column.type === 'Attachment') return true;
  if (column.type === 'Object') return hasAttachmentKey(column.scheme.keys);
  if (column.type !== 'Array') return false;
  const { element } = column.scheme;
  return element.type === 'Attachment' || (element.type === 'Object' && hasAttachmentKey(element.scheme?.keys ?? []));
}

const hasAttachmentKey = (keys: readonly { readonly type: string }[]): boolean =>
  keys.some(({ type }) => type === 'Attachment');

/** Each identifier once. */
export function attachmentIds(value: Value): string[] {
  const ids = new Set<string>();
  collect(value, ids);
  return [...ids];
}

function collect(value: Value, ids: Set<string>): void {
  if (value.type === 'Attachment') ids.add(value.id);
  else if (value.type === 'Object') for (const held of Object.values(value.value)) collect(held, ids);
  else if (value.type === 'Array') for (const element of value.value) collect(element, ids);
}
