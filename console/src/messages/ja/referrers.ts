import type { Messages } from '../en.ts';

export const referrers: Messages['referrers'] = {
  none: 'このレコードを参照しているレコードはありません（閲覧できる範囲内）。',
  all: '{count, number} 件すべてを表示',
  allAlike: 'この値を参照しているレコードをすべて表示',
  othersAlike: '同じ値のレコードがほかにもあります。そちらを参照しているレコードは、ここには含まれません。',
  notSearchable: 'この列は検索の対象ではないため、参照元を一覧できません。',
  noValue: '参照される列に値がないため、参照元を探せません。',
  tooLong: '参照される値が長すぎるため、検索できません。',
};
