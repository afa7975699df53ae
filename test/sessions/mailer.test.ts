// What a name brings along stays in the mail's subject: it makes no headers and no recipients.

import assert from 'node:assert/strict';
import { after, before, describe, it } from 'node:test';
import { openMailer } from '../../src/mail/mailer.ts';
import { resetMail } from '../../src/mail/reset-mail.ts';
import { type Mailbox, openMailbox } from './mailbox.ts';

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
});
