// Shortens messages to what the push services accept: the body first, then the title, never the URL.

import type { Message } from '../domain/notifications.ts';

/** RFC 8291 section 4: a record of 4,096 bytes less 86 for its header, 16 for the tag and 1 for the padding delimiter. */
export const WEB_PUSH_BYTES_MAX = 3_993;
/** The limit of both FCM and APNs. */
export const PHONE_BYTES_MAX = 4_096;

const ELLIPSIS = '…';
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** Renders the message, shortened as needed to fit. */
export function fitMessage(message: Message, render: (message: Message) => string, bytesMax: number): string {
  let fitted = message;
  for (const member of ['body', 'title'] as const) {
    const over = Buffer.byteLength(render(fitted)) - bytesMax;
    if (over <= 0) break;
    fitted = { ...fitted, [member]: shorten(fitted[member], over) };
  }
  return render(fitted);
}

/** Removes at least `bytes`, as counted in JSON, or the whole text. Cuts between code points and appends `…`. */
function shorten(text: string, bytes: number): string {
  const characters = [...text];
  let saved = -jsonBytes(ELLIPSIS);
  while (saved < bytes && characters.length > 0) saved += jsonBytes(characters.pop()!);
  return characters.join('') + ELLIPSIS;
}
