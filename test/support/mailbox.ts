// An SMTP server that takes every mail and keeps it, as long as it is told to.

import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { text } from 'node:stream/consumers';
import { closedAtLast } from './left-open.ts';

interface Envelope {
  readonly mailFrom: { address: string };
  readonly rcptTo: readonly { address: string }[];
}

interface Server {
  readonly server: { address(): AddressInfo };
  listen(port: number, host: string, listening: () => void): void;
  close(closed: () => void): void;
  on(event: 'error', listener: () => void): void;
}

// The package brings no types of its own.
const { SMTPServer } = createRequire(import.meta.url)('smtp-server') as {
  SMTPServer: new (options: object) => Server;
};

export interface ReceivedMail {
  readonly from: string;
  readonly to: readonly string[];
  readonly headers: Readonly<Record<string, string>>;
  /** Everything behind the headers, with what quoted-printable did undone. */
  readonly body: string;
  readonly raw: string;
}

export interface Mailbox {
  readonly url: string;
  readonly mails: ReceivedMail[];
  /** How many of the next mails are refused. */
  refusals: number;
  /** Of recipients that are refused for good, each time that one was. */
  readonly refused: string[];
  readonly users: string[];
  close(): Promise<void>;
}

export async function openMailbox(): Promise<Mailbox> {
  const mails: ReceivedMail[] = [];
  const users: string[] = [];
  const refused: string[] = [];
  const mailbox = { mails, users, refused, refusals: 0 };
  const server = new SMTPServer({
    disabledCommands: ['STARTTLS'],
    allowInsecureAuth: true,
    onAuth: (auth: { username: string; password: string }, _session: object, done: (e: null, r: object) => void) => {
      users.push(`${auth.username} ${auth.password}`);
      done(null, { user: auth.username });
    },
    onRcptTo: ({ address }: { address: string }, _session: object, done: (error?: Error) => void) => {
      if (!address.startsWith('gone')) return done();
      refused.push(address);
      done(Object.assign(new Error('no such mailbox'), { responseCode: 550 }));
    },
    onData: (stream: AsyncIterable<Uint8Array>, session: { envelope: Envelope }, done: (error?: Error) => void) => {
      void text(stream as never).then((raw) => {
        if (mailbox.refusals > 0) {
          mailbox.refusals -= 1;
          done(new Error('not now'));
          return;
        }
        mails.push(read(raw, session.envelope));
        done();
      });
    },
  });
  server.on('error', () => undefined);
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const { port } = server.server.address();
  return Object.assign(mailbox, {
    url: `smtp://some%40body:pass%2Fword@127.0.0.1:${port}`,
    close: closedAtLast(() => new Promise<void>((resolve) => server.close(resolve))),
  });
}

function read(raw: string, envelope: Envelope): ReceivedMail {
  const [head = '', ...rest] = raw.split('\r\n\r\n');
  const lines = head.replaceAll(/\r\n[ \t]+/g, ' ').split('\r\n');
  const headers = Object.fromEntries(
    lines.map((line) => [line.slice(0, line.indexOf(':')).toLowerCase(), line.slice(line.indexOf(':') + 1).trim()]),
  );
  const body = rest
    .join('\r\n\r\n')
    .replaceAll(/=\r\n/g, '')
    .replaceAll(/((?:=[0-9A-F]{2})+)/g, (coded) => Buffer.from(coded.replaceAll('=', ''), 'hex').toString('utf8'));
  return { from: envelope.mailFrom.address, to: envelope.rcptTo.map(({ address }) => address), headers, body, raw };
}

export const linkIn = ({ body }: ReceivedMail): string => /https?:\/\/\S+#application=\S+/.exec(body)?.[0] ?? '';
export const tokenIn = (mail: ReceivedMail): string => /token=([\w-]+)/.exec(linkIn(mail))?.[1] ?? '';
