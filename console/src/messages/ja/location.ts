import type { Messages } from '../en.ts';

export const location: Messages['location'] = {
  showMap: '地図で指定',
  hideMap: '地図を閉じる',
  here: '現在地を使う',
  finding: '現在地を取得しています…',
  denied:
    'ブラウザーの設定により現在地を取得できません。このページでの位置情報の利用を許可するか、直接入力してください。',
  unknown: '現在地を取得できませんでした。',
  mapOf: '地図: {name}',
  keys: '矢印キーで地図を移動、＋と－で拡大・縮小します。',
  keysToSet:
    'クリックまたは矢印キーで位置を指定します（Shift を押すと 1 ピクセルずつ）。＋と－で拡大・縮小、ドラッグで地図を移動します。',
  zoomIn: '拡大',
  zoomOut: '縮小',
  noOutlines: '地図の輪郭を読み込めませんでした。',
};
