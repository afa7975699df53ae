import type { Messages } from '../en.ts';

export const grid: Messages['grid'] = {
  records: '{count, number} 件',
  more: '{count, number} 件以上',
  countAll: '件数を数える',
  hits: '該当 {count, number} 件',
  empty: '{name} にはまだレコードがありません。',
  emptyHint:
    '最初のレコードを作成するか、表計算ソフトのファイルを取り込んでください。プログラムからは API で作成できます。',
  importFile: 'ファイルを取り込む',
  noHits: '検索に一致するレコードはありません。',
  sortAscending: '{name} の昇順に並べる',
  sortDescending: '{name} の降順に並べる',
  sortedAscending: '昇順',
  sortedDescending: '降順',
  created: '作成日時',
  createdBy: '作成者',
  updated: '更新日時',
  updatedBy: '更新者',
  row: '{number, number} 件目',
  open: 'レコードを開く（スペースキー）',
  table: '{name} のレコード',
};
