import type { Messages } from '../en.ts';

export const signIn: Messages['signIn'] = {
  title: '{name} にサインイン',
  chooseTitle: 'アプリケーションを開く',
  user: 'ユーザー ID またはメールアドレス',
  password: 'パスワード',
  submit: 'サインイン',
  forgotten: 'パスワードを忘れた場合',
  singleSignOn: '組織のアカウントでサインイン',
  enterUser: 'ユーザー ID またはメールアドレスを入力してください。',
  enterPassword: 'パスワードを入力してください。',
  wrong:
    'ユーザー ID、メールアドレス、またはパスワードが違います。正しい場合は、アカウントが無効になっている可能性があります。',
  mailWhom: 'ユーザー ID またはメールアドレスを入力してください。再設定用のリンクをお送りします。',
  mailSent: '該当するユーザーがいる場合、新しいパスワードを設定するためのリンクをメールでお送りします。',
  signedOut: 'サインアウトしました。',
  usedHere: 'このブラウザーで使ったアプリケーション',
  another: '別のアプリケーションを開く',
  forOperators: 'サーバーの運用担当者の方へ',
  application: 'アプリケーションのリンク',
  applicationHint:
    '招待に書かれています。わからない場合は、メンバーを管理している人に聞いてください（「メンバー」ページに表示されます）。アプリケーション ID でも開けます。',
  continue: '次へ',
  enterApplication: 'リンクまたはアプリケーション ID を入力してください。',
  notAnId: 'アプリケーションのリンクでも ID でもありません。内容を確認するか、送ってくれた人に問い合わせてください。',
  unknown: 'この ID のアプリケーションはありません。リンクを確認するか、送ってくれた人に問い合わせてください。',
  noAccess: 'このアカウントではデータを利用できません。API の利用権限を管理者に依頼してください。',
};
