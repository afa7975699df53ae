// The names of attachments: read from an upload's Content-Disposition (RFC 6266 and 8187) or as announced, made fit to be
// kept, and written into a download's Content-Disposition. By hand, because what clients really send is read more
// generously here than the grammar allows: an upload never fails for its name.

/** For a file without a name. Spelled so in the contract. */
export const UNKNOWN_NAME = 'Unknonwn';
export const FILENAME_CHARACTERS_MAX = 255;
/** What is longer behind the last dot is a sentence rather than an extension, and is cut like any text. */
const EXTENSION_CHARACTERS_MAX = 100;

/**
 * One parameter, or the disposition type, up to its semicolon: name, quoted value, other value. It matches at every
 * position at the first attempt, so that nothing is ever tried twice. An unquoted value may hold blanks and commas, and
 * a quoted one may lack its end.
 */
const PARAMETER = /([^;=]*)(?:=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"?[^;]*|([^;]*)))?(?:;|$)/gs;
/** A Windows path whose backslashes nobody has escaped. */
const RAW_WINDOWS_PATH = /^[A-Za-z]:\\[^\\"]/;

// A byte order mark is a character like any other: names are kept as they are given.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The attachment's name, from the header as Node hands it over: one character per byte. */
export function readFilename(contentDisposition: string | undefined): string {
  const extended: string[] = [];
  const plain: string[] = [];
  for (const [, words = '', quoted, unquoted = ''] of (contentDisposition ?? '').matchAll(PARAMETER)) {
    // The last word, for those who forget the semicolon behind the disposition type.
    const name = words
      .toLowerCase()
      .split(/[ \t]+/)
      .findLast((word) => word !== '');
    const value = quoted === undefined ? withoutBlanksBehind(unquoted) : unquote(quoted);
    if (name === 'filename') plain.push(readBytes(value));
    if (name === 'filename*') extended.push(readExtended(value) ?? '');
  }
  return [...extended, ...plain].map(clean).find((name) => name !== '') ?? UNKNOWN_NAME;
}

/** The attachment's name from text that needs no decoding any more, as in an announced upload. */
export function readUploadName(text: string): string {
  return clean(text) || UNKNOWN_NAME;
}

/** The header of a download. Any text makes a valid header; a name that was read here comes back as it is. */
export function contentDisposition(name: string): string {
  const cleaned = readUploadName(name);
  // Browsers disagree on escapes in `filename`, and some decode a percent sign there (RFC 6266 appendix D).
  const fallback = cleaned.replaceAll(/[^ !#$&-[\]-~]/gu, '_');
  const header = `attachment; filename="${fallback}"`;
  return fallback === cleaned ? header : `${header}; filename*=UTF-8''${percentEncode(cleaned)}`;
}

/** RFC 8187 section 3.2.1 keeps four characters less than a URI does. */
function percentEncode(text: string): string {
  const rest: Readonly<Record<string, string>> = { "'": '%27', '(': '%28', ')': '%29', '*': '%2A' };
  return encodeURIComponent(text).replaceAll(/['()*]/g, (character) => rest[character] ?? '');
}

/** By hand: `trim` would also take U+00A0, which is the last byte of many a UTF-8 character. */
function withoutBlanksBehind(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

/**
 * A backslash quotes whatever follows (RFC 9110 section 5.6.4). Senders are told to quote only `"` and `\`, so in what
 * begins like `C:\photos` the others are meant as they stand.
 */
function unquote(quoted: string): string {
  return quoted.replaceAll(RAW_WINDOWS_PATH.test(quoted) ? /\\(["\\])/g : /\\(.)/gs, '$1');
}

/** Many clients send UTF-8 as it is. Text in ISO-8859-1 that happens to be valid UTF-8 too is hardly ever meant. */
function readBytes(text: string): string {
  const isBytesBeyondAscii = /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text);
  return isBytesBeyondAscii ? (decodeUtf8(text) ?? text) : text;
}

/** RFC 8187: `charset'language'percent-encoded`. undefined where it cannot be read, so that `filename` counts. */
function readExtended(value: string): string | undefined {
  const [, charset = '', encoded = ''] = /^([^']*)'[^']*'(.*)$/s.exec(value) ?? [];
  if (/%(?![0-9A-Fa-f]{2})|[\u0100-\uffff]/.test(encoded)) return undefined;
  const bytes = encoded.replaceAll(/%(..)/g, (_, digits: string) => String.fromCharCode(Number.parseInt(digits, 16)));
  if (charset.toLowerCase() === 'utf-8') return decodeUtf8(bytes);
  return charset.toLowerCase() === 'iso-8859-1' ? bytes : undefined;
}

function decodeUtf8(bytes: string): string | undefined {
  try {
    return utf8.decode(Buffer.from(bytes, 'latin1'));
  } catch {
    return undefined;
  }
}

/** Empty where nothing is left that could be a name. */
function clean(text: string): string {
  // Half a surrogate pair cannot be stored in UTF-8. Replaced before anything is removed, so that no two halves meet.
  const storable = text.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(/\p{Cc}/gu, '');
  const name = storable.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  return name === '.' || name === '..' ? '' : shorten(name);
}

function shorten(name: string): string {
  if (name.length <= FILENAME_CHARACTERS_MAX) return name;
  const characters = Array.from(name);
  if (characters.length <= FILENAME_CHARACTERS_MAX) return name;
  const dot = characters.lastIndexOf('.');
  const behind = characters.length - dot - 1;
  // A dot in front hides a file and begins no extension.
  const hasExtension = dot > 0 && behind > 0 && behind <= EXTENSION_CHARACTERS_MAX;
  const extension = hasExtension ? characters.slice(dot) : [];
  return [...characters.slice(0, FILENAME_CHARACTERS_MAX - extension.length), ...extension].join('');
}
