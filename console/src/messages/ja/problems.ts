import type { Messages } from '../en.ts';

export const problems: Messages['problems'] = {
  back: 'サーバーに再び接続できました。もう一度お試しください。',
  unreachable: 'サーバーに接続できません。ネットワークを確認して、もう一度お試しください。',
  busy: 'サーバーが混雑しているか、再起動中です。しばらくしてからもう一度お試しください。',
  server: 'サーバーで問題が発生しました。しばらくしてからもう一度お試しください。',
  tooMany: 'リクエストが多すぎます。{seconds, number} 秒後にもう一度お試しください。',
  forbidden: 'この操作は許可されていません。必要な権限を管理者に依頼してください。',
  notFound: '存在しないか、閲覧する権限がありません。',
  other: 'サーバーに拒否されました: {message}',
};
