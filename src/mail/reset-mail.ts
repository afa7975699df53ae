// The mail that brings a link to set a new password.

import { escapeHtml } from '../domain/html.ts';
import type { Mail } from './mailer.ts';

interface Reset {
  readonly to: string;
  /** The name of the application. */
  readonly application: string;
  readonly link: string;
  /** For how long the link works. */
  readonly minutes: number;
}

export function resetMail({ to, application, link, minutes }: Reset): Mail {
  const asked = `Somebody, most likely you, asked to set a new password for your account at ${application}.`;
  const how = `The link works once, for ${minutes} minutes, and only the newest one counts.`;
  const otherwise =
    'If it was not you, you need not do anything: your password stays as it is. Give the link to nobody.';
  return {
    to,
    subject: `New password for ${application}`,
    text: `${asked}\n\nTo choose one, open this link:\n\n${link}\n\n${how}\n\n${otherwise}\n`,
    html: [
      '<!doctype html><html lang="en"><body>',
      `<p>${escapeHtml(asked)}</p>`,
      `<p><a href="${escapeHtml(link)}">Choose a new password</a></p>`,
      `<p>${escapeHtml(how)}</p>`,
      `<p>${escapeHtml(otherwise)}</p>`,
      '</body></html>',
    ].join('\n'),
  };
}
