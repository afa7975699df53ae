// Numbers as people write them in their language.

/** A number to be edited has every digit, and no groups. */
export const numberText = (number: number, locale: string): string =>
  new Intl.NumberFormat(locale, { maximumFractionDigits: 20, useGrouping: false }).format(number);

/** Spaces of every kind, and the apostrophes of Switzerland, group digits in any language. */
const NEUTRAL_GROUPS = /(?<=\d)[\s'’](?=\d{3}(?!\d))/g;
const PLAIN = /^[+-]?(?:\d+\.?\d*|\.\d+)(?:e[+-]?\d+)?$/i;

/**
 * A number with the decimal sign of the language or a point, and with or without groups. A sign that could be either is
 * what the language says; a comma that groups nothing is no number rather than ten times as much.
 */
export function numberOf(text: string, locale: string): number | undefined {
  const comma = new Intl.NumberFormat(locale).format(1.5).includes(',');
  const [group, decimal] = comma ? ['.', ','] : [',', '.'];
  let plain = text.normalize('NFKC').trim().replace('−', '-').replaceAll(NEUTRAL_GROUPS, '');
  const grouped = new RegExp(`^([+-]?\\d{1,3}(?:\\${group}\\d{3})+)((?:\\${decimal}\\d*)?)$`).exec(plain);
  if (grouped !== null) plain = `${grouped[1]?.replaceAll(group, '')}${grouped[2]}`;
  if (comma && !plain.includes('.')) plain = plain.replace(',', '.');
  const number = Number(plain);
  return PLAIN.test(plain) && Number.isFinite(number) ? number : undefined;
}
