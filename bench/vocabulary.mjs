// @ts-check
// The words of the records: a few hundred Latin and Japanese ones of everyday frequency, and the special ones of which
// the bench knows how often they occur. No everyday word contains a special one.

/** In 30 % of the records. */
export const FREQUENT = 'inspection';
/** Each in the same handful of records, however many there are: what grows is what has to be passed over. */
export const RARE = {
  latin: 'quetzalroc',
  japanese: '錨鎖',
  pair: 'wq',
  letter: 'ø',
};
/** In no record at all. */
export const ABSENT = { pair: 'xj', letter: 'þ' };

/** The number of records that hold the rare words. */
export const RARE_HITS = 7;
/** One word that holds the rare pair and the rare letter. */
export const RARE_CARRIER = 'Swqørd';

const BEGINNINGS = [
  'bra',
  'cal',
  'dor',
  'el',
  'fen',
  'gri',
  'hol',
  'in',
  'kel',
  'lum',
  'mar',
  'nor',
  'os',
  'pel',
  'ran',
];
const MIDDLES = ['a', 'e', 'o', 'u', 'and', 'ist', 'ub'];
const ENDINGS = ['dic', 'lon', 'mer', 'ted'];

/** @type {readonly string[]} */
export const LATIN = BEGINNINGS.flatMap((a) => MIDDLES.flatMap((b) => ENDINGS.map((c) => `${a}${b}${c}`)));

/** @type {readonly string[]} */
export const JAPANESE = [
  ...['点検', '屋根', '配管', '異常', '交換', '予定', '担当', '写真', '確認', '現場', '設備', '工事', '報告', '電気'],
  ...['水道', '清掃', '記録', '部品', '在庫', '保守', '契約', '期限', '安全', '作業', '測定', '温度', '圧力', '漏水'],
];
