// How many columns of a terminal a text takes: two for Chinese, Japanese and Korean characters and emoji, none for
// accents that combine with the character before them.

import { eastAsianWidth } from 'get-east-asian-width';

let segmenter: Intl.Segmenter | undefined;
/** Made when it is needed: it takes 20 ms, which few commands need. */
function graphemesOf(text: string): Iterable<{ readonly segment: string }> {
  segmenter ??= new Intl.Segmenter(undefined, { granularity: 'grapheme' });
  return segmenter.segment(text);
}

const ASCII = /^[ -~]*$/;
const INVISIBLE = /^[\p{Mark}\p{Default_Ignorable_Code_Point}\p{Control}]+$/u;
const EMOJI = /\p{Emoji_Presentation}|\uFE0F/u;

export function textWidth(text: string): number {
  if (ASCII.test(text)) return text.length;
  let width = 0;
  for (const { segment } of graphemesOf(text)) width += graphemeWidth(segment);
  return width;
}

function graphemeWidth(grapheme: string): number {
  if (INVISIBLE.test(grapheme)) return 0;
  return EMOJI.test(grapheme) ? 2 : eastAsianWidth(grapheme.codePointAt(0) ?? 0);
}

/** As much of a text as fits, with an ellipsis in place of the rest. */
export function cutToWidth(text: string, width: number): string {
  if (textWidth(text) <= width) return text;
  let kept = '';
  let used = 1;
  for (const { segment } of graphemesOf(text)) {
    used += graphemeWidth(segment);
    if (used > width) break;
    kept += segment;
  }
  return `${kept}…`;
}

/** Values may hold anything, also what would move the cursor or turn the direction of writing: it becomes a space. */
export const onOneLine = (text: string): string =>
  text.replaceAll(/[\p{Cc}\u2028\u2029\u202a-\u202e\u2066-\u2069]+/gu, ' ');
