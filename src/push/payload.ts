// Messages within what the services carry. The URL stays whole; the body is cut first, then the title.

import type { Message } from '../domain/notifications.ts';

/** RFC 8291 section 4: a record of 4,096 bytes less its header of 86, the tag of 16 and the padding's delimiter. */
export const WEB_PUSH_BYTES_MAX = 3_993;
/** Of FCM and APNs alike. */
export const PHONE_BYTES_MAX = 4_096;

const ELLIPSIS = '…';
/** As `…` and every character of a text are counted: in JSON. */
const jsonBytes = (text: string): number => Buffer.byteLength(JSON.stringify(text)) - 2;

/** The text as `render` gives it for the message, or for as much of it as fits. */
export function fit(message: Message, render: (message: Message) => string, bytesMax: number): string {
  let fitted = message;
  for (const member of ['body', 'title'] as const) {
    const over = Buffer.byteLength(render(fitted)) - bytesMax;
    if (over <= 0) break;
    fitted = { ...fitted, [member]: shorten(fitted[member], over) };
  }
  return render(fitted);
}

/** By at least so many bytes, as far as there are so many; between characters, with `…` at the end. */
function shorten(text: string, bytes: number): string {
  const characters = [...text];
  let saved = -jsonBytes(ELLIPSIS);
  while (saved < bytes && characters.length > 0) saved += jsonBytes(characters.pop()!);
  return characters.join('') + ELLIPSIS;
}
