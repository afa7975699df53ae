import type { Messages } from '../en.ts';

export const conflict: Messages['conflict'] = {
  title: '編集中にレコードが変更されました',
  explained: '{name} さんが {date} にこのレコードを変更しています。項目ごとにどちらを残すか選んでください。',
  stored: '保存済みの値',
  storedBy: '{name}（{date}）',
  mine: '自分の値',
  onlyMine: '自分だけが変更',
  allStored: 'すべて保存済みの値にする',
  allMine: 'すべて自分の値にする',
  save: 'この内容で保存',
  later: '編集に戻る',
  open: '未選択の項目が {count, number} 件あります',
  nothingLeft: '保存済みの値は入力した内容と同じです。選ぶ項目はありません。',
};
