// Texts that a spreadsheet would run as a formula get an apostrophe before them in CSV, and lose it again when they are
// read. So does the empty text, which CSV could not tell from no value. A text that begins with apostrophes and goes on
// like one of these gets one more, so that every text comes back as it was.

/** The full-width forms are formulas too where Excel runs in Japanese. */
const GUARDED = /^'*(?:[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|$)/;
const GUARD = /^'+(?:[=+\-@\t\r\n\uff1d\uff0b\uff0d\uff20]|$)/;

export const withGuard = (text: string): string => (GUARDED.test(text) ? `'${text}` : text);

export const withoutGuard = (text: string): string => (GUARD.test(text) ? text.slice(1) : text);
