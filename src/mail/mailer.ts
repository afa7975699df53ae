// Sends mail through the operator's SMTP server. The files beside this one write the mails.

import { isLoopback } from '../domain/loopback.ts';
import { withTimeout } from '../request/timeout.ts';

export interface Mail {
  /** One address. */
  readonly to: string;
  readonly subject: string;
  readonly text: string;
  readonly html: string;
}

export interface Mailer {
  /** Resolves when the SMTP server has accepted the mail. */
  send(mail: Mail): Promise<void>;
  close(): void;
}

export interface MailSettings {
  /** `smtp://user:password@host:port`, or smtps; with `?tls=never` also without TLS. */
  readonly url: string;
  readonly from: string;
}

const STEP_TIMEOUT_MS = 10_000;
/** For sending one mail as a whole. */
const DEADLINE_MS = 30_000;

export function openMailer({ url, from }: MailSettings, deadlineMs = DEADLINE_MS): Mailer {
  const address = new URL(url);
  const { protocol, hostname, port, username, password } = address;
  const secure = protocol === 'smtps:';
  const plain = address.searchParams.get('tls') === 'never';
  const auth = { user: decodeURIComponent(username), pass: decodeURIComponent(password) };
  // Not loaded by a server without mail.
  const opened = import('nodemailer').then(({ createTransport }) =>
    createTransport({
      host: hostname.replace(/^\[|\]$/g, ''),
      port: port === '' ? (secure ? 465 : 587) : Number(port),
      secure,
      // Otherwise an attacker in the network could strip the offer of STARTTLS.
      requireTLS: !plain && !isLoopback(address),
      ignoreTLS: plain,
      ...(username === '' ? {} : { auth }),
      connectionTimeout: STEP_TIMEOUT_MS,
      greetingTimeout: STEP_TIMEOUT_MS,
      socketTimeout: STEP_TIMEOUT_MS,
      disableFileAccess: true,
      disableUrlAccess: true,
    }),
  );
  // `send` reports the failure.
  opened.catch(() => undefined);
  return {
    // As an object, so that no address is parsed as several.
    send: async ({ to, subject, text, html }) => {
      const mail = { from, to: { name: '', address: to }, subject: oneLine(subject), text, html };
      const transport = await opened;
      const taken = await withTimeout(deadlineMs, transport.sendMail(mail));
      if (taken === undefined) throw new Error(`the mail was not taken within ${deadlineMs} ms`);
    },
    close: () =>
      void opened.then(
        (transport) => transport.close(),
        () => undefined,
      ),
  };
}

/** A permanent refusal: the server would reply the same again (RFC 5321 section 4.2.1). */
export const isRefusedForGood = (error: unknown): boolean =>
  error instanceof Error && 'responseCode' in error && Number(error.responseCode) >= 500;

/** An application's name must not inject headers. */
const oneLine = (text: string): string => text.replaceAll(/\p{Cc}+/gu, ' ').trim();
