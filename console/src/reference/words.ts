// The sentences of the reference. The page is beside the console, and too small for its messages.

import { preferredLanguage } from '../messages/preferred.ts';

const en = {
  title: (name: string) => `Interface of ${name}`,
  general: 'The interface of Cartulary',
  toConsole: 'To the console',
  asOneself: 'Requests that you send here are real, and yours: they go to this server with your session.',
  notSignedIn: 'The interface is shown to those who are signed in.',
  signIn: 'Sign in',
  noAccess: 'Your account may not use the data of this application.',
  noApplication: 'There is no application with this ID.',
  failed: 'The reference cannot be loaded now. Try again in a moment.',
  again: 'Try again',
  loading: 'Loading…',
};

const ja: typeof en = {
  title: (name) => `${name} の API`,
  general: 'Cartulary の API',
  toConsole: 'コンソールへ',
  asOneself: 'ここから送るリクエストは、あなたのセッションでこのサーバーに実際に送信されます。',
  notSignedIn: 'API の一覧を見るには、サインインしてください。',
  signIn: 'サインイン',
  noAccess: 'このアカウントでは、このアプリケーションのデータを利用できません。',
  noApplication: 'この ID のアプリケーションはありません。',
  failed: '現在 API の一覧を読み込めません。しばらくしてからもう一度お試しください。',
  again: '再試行',
  loading: '読み込み中…',
};

export const language = preferredLanguage();
export const words = { en, ja }[language];
