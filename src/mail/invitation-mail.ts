// The mail in which a colleague is asked to choose a password.

import { escapeHtml } from '../domain/html.ts';
import type { Mail } from './mailer.ts';

interface Invitation {
  readonly to: string;
  /** The name of the application. */
  readonly application: string;
  /** The name of the user who sends it. */
  readonly from: string;
  readonly link: string;
  /** For how long the link works. */
  readonly days: number;
}

export function invitationMail({ to, application, from, link, days }: Invitation): Mail {
  const asked = `${from} has set up your account at ${application}. Choose a password, then sign in with it and this e-mail address.`;
  const how = `The link works once, for ${days} days, and only the newest one counts.`;
  const otherwise = `If you do not know ${from} or ${application}, you need not do anything. Give the link to nobody.`;
  return {
    to,
    subject: `Your account at ${application}`,
    text: `${asked}\n\nTo choose one, open this link:\n\n${link}\n\n${how}\n\n${otherwise}\n`,
    html: [
      '<!doctype html><html lang="en"><body>',
      `<p>${escapeHtml(asked)}</p>`,
      `<p><a href="${escapeHtml(link)}">Choose a password</a></p>`,
      `<p>${escapeHtml(how)}</p>`,
      `<p>${escapeHtml(otherwise)}</p>`,
      '</body></html>',
    ].join('\n'),
  };
}
