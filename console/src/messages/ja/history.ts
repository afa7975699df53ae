import type { Messages } from '../en.ts';

export const history: Messages['history'] = {
  hint: 'サーバーは最新の 50 バージョンを保存しています。以前のバージョンに戻すと、その文書が新しいバージョンとして公開されます。',
  versions: 'バージョン（新しい順）',
  version: 'バージョン {version, number}',
  current: '公開中',
  unknown: '変更内容の記録なし',
  count: '{count, number} 件の変更',
  lost: 'データの削除を含む',
  changed: '変更内容',
  download: '公開文書をダウンロード',
  back: 'バージョン {version, number} に戻す',
  backHint:
    'コレクション、列、設定が当時の状態に戻ります。その後に削除された値やレコードは戻りません（バックアップに残っている場合があります）。',
};
