// Mail goes out by the operator's own SMTP server. What a mail says is made by the files beside this one.

import { createTransport } from 'nodemailer';

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Resolves when the SMTP server has taken it. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export interface MailSettings {
  /** `smtp://user:password@host:port`, or smtps. */
  readonly url: string;
  readonly from: string;
}

const PATIENCE_MS = 10_000;

export function openMailer({ url, from }: MailSettings): Mailer {
  const { protocol, hostname, port, username, password } = new URL(url);
  const secure = protocol === 'smtps:';
  const transport = createTransport({
    host: hostname.replace(/^\[|\]$/g, ''),
    port: port === '' ? (secure ? 465 : 587) : Number(port),
    secure,
    ...(username === '' ? {} : { auth: { user: decodeURIComponent(username), pass: decodeURIComponent(password) } }),
    connectionTimeout: PATIENCE_MS,
    greetingTimeout: PATIENCE_MS,
    socketTimeout: PATIENCE_MS,
    disableFileAccess: true,
    disableUrlAccess: true,
  });
  return {
    // As an object, so that whatever an address holds it is one.
    send: async ({ to, subject, text, html }) => {
      await transport.sendMail({ from, to: { name: '', address: to }, subject: oneLine(subject), text, html });
    },
    close: () => transport.close(),
  };
}

/** A name must not bring headers of its own. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim();
