import type { Messages } from '../en.ts';

export const recordActivity: Messages['recordActivity'] = {
  created: '作成',
  updated: '変更',
  deleted: '削除',
  operator: '運用者',
  through_api: 'API 経由',
  through_console: 'コンソール',
  through_operator: '運用者として',
  none: 'このレコードの操作履歴はありません。',
  noneYet: '最近の履歴にはまだ見つかりません。',
  older: 'さらに古い履歴を表示',
};
