import type { Messages } from '../en.ts';

export const palette: Messages['palette'] = {
  title: '移動・操作',
  placeholder: 'コレクション、レコード、ユーザー、操作を探す',
  found: '検索結果',
  nothing: '該当するものはありません。',
  searching: '検索しています…',
  away: 'サーバーに接続できません。今はコレクションと操作だけを探せます。',
  collections: 'コレクション',
  views: 'ビュー',
  recordsOf: '「{name}」のレコード',
  people: 'ユーザー',
  createdIn: '「{name}」で作成したもの',
  actions: '操作',
  newRecord: '「{name}」に新規レコード',
};
