import type { Messages } from '../en.ts';

export const requests: Messages['requests'] = {
  programs: 'プログラムから使う',
  show: 'API リクエストを表示',
  title: 'このページの API リクエスト',
  intro: 'このページがサーバーに送ったリクエストです。プログラムからも同じように送れます。',
  list: 'リクエスト',
  page: 'このページ',
  changes: '最近の変更',
  frame: '全ページ共通',
  none: 'このページはサーバーに何も要求していません。',
  languages: '記述方法',
  curl: 'curl',
  javascript: 'JavaScript',
  client: 'クライアント',
  python: 'Python',
  token: '<code>TOKEN</code> は、あなたの API トークンを入れた環境変数です。<link>トークンを作成</link>',
  clientHint: '<code>cartulary-client</code> は、Cartulary に付属する JavaScript / TypeScript 用クライアントです。',
  ifMatch:
    '<code>If-Match</code> は、より新しい変更の上書きを防ぎます。レコードがすでに変更されていると、リクエストは拒否されます（412）。',
  file: '本文はブラウザーに残していません。<code>{file}</code> という名前のファイルに入れてください。',
  reference: 'API の全操作を見る',
  code: 'プログラムとしてのリクエスト',
};
