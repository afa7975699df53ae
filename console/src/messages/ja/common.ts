import type { Messages } from '../en.ts';

export const common: Messages['common'] = {
  loading: '読み込んでいます…',
  retry: '再試行',
  cancel: 'キャンセル',
  close: '閉じる',
  none: 'なし',
  open: '開く',
  search: '検索',
  clear: '消去',
  yes: 'はい',
  inZone: '{zone} の時刻です',
  no: 'いいえ',
};
