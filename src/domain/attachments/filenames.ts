// The names of attachments: read from an upload's Content-Disposition (RFC 6266 and 8187) or from its announcement, made
// safe to store, and written into a download's Content-Disposition. Parsed by hand, because real clients deviate from the
// grammar and an upload never fails because of its name.

/** For a file without a name. The interface spells it like this. */
export const UNKNOWN_NAME = 'Unknonwn';
export const FILENAME_CHARACTERS_MAX = 255;
/** A longer text after the last dot is no extension and is shortened like the rest of the name. */
const EXTENSION_CHARACTERS_MAX = 100;

/**
 * One parameter, or the disposition type, up to its semicolon: name, quoted value, unquoted value. It matches at every
 * position without backtracking. An unquoted value may contain blanks and commas, and a quoted one may lack its end.
 */
const PARAMETER = /([^;=]*)(?:=[ \t]*(?:"([^"\\]*(?:\\.[^"\\]*)*)"?[^;]*|([^;]*)))?(?:;|$)/gs;
/** A Windows path with unescaped backslashes. */
const RAW_WINDOWS_PATH = /^[A-Za-z]:\\[^\\"]/;

// A byte order mark is kept like any other character of a name.
const utf8 = new TextDecoder('utf-8', { fatal: true, ignoreBOM: true });

/** The attachment's name from the header as Node passes it: one character per byte. */
export function readFilename(contentDisposition: string | undefined): string {
  return bestName(namesIn(contentDisposition ?? ''));
}

/**
 * The name of a file in a form; undefined for a field that is no file. It is blank for a choice of files that was left empty.
 * Browsers and curl percent-encode quotation marks and line ends in it, and nothing else.
 */
export function readFilenameIn(contentDisposition: string): { name: string; isBlank: boolean } | undefined {
  const names = namesIn(contentDisposition);
  if (names.length === 0) return undefined;
  const decoded = names.map((name) => name?.replaceAll('%22', '"').replaceAll(/%0D|%0A/gi, ''));
  return { name: bestName(decoded), isBlank: names.every((name) => name === '') };
}

const bestName = (names: readonly (string | undefined)[]): string =>
  names.map((name = '') => clean(name)).find((name) => name !== '') ?? UNKNOWN_NAME;

/** The given names as they were meant, the best first. Undefined: there is one, which cannot be read. */
function namesIn(contentDisposition: string): (string | undefined)[] {
  const extended: (string | undefined)[] = [];
  const plain: string[] = [];
  for (const [, words = '', quoted, unquoted = ''] of contentDisposition.matchAll(PARAMETER)) {
    // The last word: some clients omit the semicolon after the disposition type.
    const name = words
      .toLowerCase()
      .split(/[ \t]+/)
      .findLast((word) => word !== '');
    const value = quoted === undefined ? trimEndBlanks(unquoted) : unquote(quoted);
    if (name === 'filename') plain.push(readBytes(value));
    if (name === 'filename*') extended.push(readExtended(value));
  }
  return [...extended, ...plain];
}

/** The attachment's name from text that is already decoded, as in an announced upload. */
export function readUploadName(text: string): string {
  return clean(text) || UNKNOWN_NAME;
}

/** The header of a download. Any text gives a valid header; a name read by the functions above is not changed. */
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

/** `trim` would also remove U+00A0, which is the last byte of many UTF-8 characters. */
function trimEndBlanks(text: string): string {
  let end = text.length;
  while (end > 0 && (text[end - 1] === ' ' || text[end - 1] === '\t')) end -= 1;
  return text.slice(0, end);
}

/**
 * A backslash quotes any character (RFC 9110 section 5.6.4). Senders should quote only `"` and `\`, so in a value that
 * begins like `C:\photos` other backslashes are literal.
 */
function unquote(quoted: string): string {
  return quoted.replaceAll(RAW_WINDOWS_PATH.test(quoted) ? /\\(["\\])/g : /\\(.)/gs, '$1');
}

/** Many clients send raw UTF-8. ISO-8859-1 text that is valid UTF-8 by chance is very rare. */
function readBytes(text: string): string {
  const isBytesBeyondAscii = /[\u0080-\u00ff]/.test(text) && !/[\u0100-\uffff]/.test(text);
  return isBytesBeyondAscii ? (decodeUtf8(text) ?? text) : text;
}

/** RFC 8187: `charset'language'percent-encoded`. Undefined if it is invalid, so that `filename` is used. */
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

/** Empty if nothing is left that could be a name. */
function clean(text: string): string {
  // A lone surrogate cannot be stored in UTF-8. Replaced before control characters are removed, so that no two halves meet.
  const storable = text.replaceAll(/\p{Surrogate}/gu, '\ufffd').replaceAll(/\p{Cc}/gu, '');
  const name = storable.split(/[/\\]/).findLast((part) => part !== '') ?? '';
  return name === '.' || name === '..' ? '' : shorten(name);
}

function shorten(name: string): string {
  if (name.length <= FILENAME_CHARACTERS_MAX) return name;
  const characters = Array.from(name);
  if (characters.length <= FILENAME_CHARACTERS_MAX) return name;
  const dot = characters.lastIndexOf('.');
  const extensionLength = characters.length - dot - 1;
  // A leading dot marks a hidden file, not an extension.
  const hasExtension = dot > 0 && extensionLength > 0 && extensionLength <= EXTENSION_CHARACTERS_MAX;
  const extension = hasExtension ? characters.slice(dot) : [];
  return [...characters.slice(0, FILENAME_CHARACTERS_MAX - extension.length), ...extension].join('');
}
