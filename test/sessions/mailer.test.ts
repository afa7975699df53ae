// What a name brings along stays in the mail's subject: it makes no headers and no recipients. And how a mail goes out: by
// TLS wherever somebody could listen, and within a deadline.

import assert from 'node:assert/strict';
import { type AddressInfo, createServer, type Socket } from 'node:net';
import { after, before, describe, it } from 'node:test';
import { openMailer } from '../../src/mail/mailer.ts';
import { resetMail } from '../../src/mail/reset-mail.ts';
import { type Mailbox, openMailbox } from '../support/mailbox.ts';

describe('a mail', () => {
  let mailbox: Mailbox;
  before(async () => {
    mailbox = await openMailbox();
  });
  after(() => mailbox.close());

  it('has the headers that it should, whatever the application is called', async () => {
    const mailer = openMailer({ url: mailbox.url, from: 'records@example.com' });
    const application = 'Evil\r\nBcc: everybody@example.com\r\n\r\nBuy <script>';
    const mail = resetMail({ to: 'one@example.com', application, link: 'https://x.example/#token=1', minutes: 60 });
    await mailer.send(mail);
    mailer.close();
    const [received] = mailbox.mails;
    assert.deepEqual(received?.to, ['one@example.com']);
    assert.equal(received?.headers.bcc, undefined);
    assert.equal(received?.headers.subject, 'New password for Evil Bcc: everybody@example.com Buy <script>');
    assert.ok(!received?.body.includes('<script>') || received.body.includes('&lt;script&gt;'));
  });

  const mail = { to: 'one@example.com', subject: 'a', text: 'b', html: '<p>b' };

  it('goes out without TLS only on this machine, or where the operator says so', async () => {
    // The same machine under a name that does not show it.
    const url = mailbox.url.replace('127.0.0.1', '127.1');
    const before = mailbox.mails.length;
    const strict = openMailer({ url, from: 'records@example.com' });
    await assert.rejects(strict.send(mail), /STARTTLS|TLS/i);
    assert.equal(mailbox.mails.length, before);
    const told = openMailer({ url: `${url}?tls=never`, from: 'records@example.com' });
    await told.send(mail);
    assert.equal(mailbox.mails.length, before + 1);
  });

  it('is given up at its deadline, however lively the server is', async () => {
    const sockets: Socket[] = [];
    const endless = createServer((socket) => {
      sockets.push(socket);
      const drip = setInterval(() => socket.write('220-wait\r\n'), 10);
      socket.on('error', () => undefined).on('close', () => clearInterval(drip));
    });
    await new Promise<void>((resolve) => endless.listen(0, '127.0.0.1', resolve));
    const { port } = endless.address() as AddressInfo;
    const mailer = openMailer({ url: `smtp://127.0.0.1:${port}`, from: 'records@example.com' }, 100);
    await assert.rejects(mailer.send(mail), /within 100 ms/);
    for (const socket of sockets) socket.destroy();
    await new Promise((resolve) => endless.close(resolve));
  });
});
