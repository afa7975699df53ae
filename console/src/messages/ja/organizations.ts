import type { Messages } from '../en.ts';

export const organizations: Messages['organizations'] = {
  title: '組織',
  none: '組織はまだありません。アプリケーションを公開すると、文書に書かれた組織が作成されます。',
  applications: 'アプリケーション',
  singleSignOn: 'シングルサインオン',
  off: '無効',
  turnOn: 'シングルサインオンを有効にする',
  change: 'シングルサインオンを変更',
  titleOf: '{name} のシングルサインオン',
  effect:
    '有効な間、この組織のユーザーはプロバイダーでサインインし、パスワードは使えなくなります。有効・無効の切り替えやプロバイダーの変更を行うと、セッションは終了します。',
  issuer: '発行者 (issuer)',
  issuerHint: 'OpenID Connect プロバイダーのアドレス（例: https://login.example.com）',
  clientId: 'クライアント ID',
  clientSecret: 'クライアントシークレット',
  secretOnce: '保存後は表示されません。',
  secretKept: '空欄にすると現在のものを使います。',
  emailsAreVerified: 'プロバイダーはメールアドレスの確認状態を示さないが、すべて確認済みである',
  redirectAddress: 'プロバイダーに登録するリダイレクトアドレス',
  save: '保存',
  turnOff: '無効にする',
  test: 'テスト',
  fine: 'プロバイダーに接続でき、発行者が一致し、鍵を読み取れました。クライアントシークレットは最初のサインインで確認されます。',
  noDescription: 'プロバイダーの設定情報を利用できません（{reason}）。',
  noKeys: '設定情報は正しいものの、プロバイダーの鍵を読み取れません（{reason}）。',
};
