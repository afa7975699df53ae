// An address that a user may have is the address that a mail goes to: never another one, and never more than one.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { domainToASCII } from 'node:url';
import fc from 'fast-check';
import { createTransport } from 'nodemailer';
import { emailProblem } from '../../src/domain/people/users.ts';

const transport = createTransport({ jsonTransport: true });

/** Quotes around what is before the @ and Punycode behind it are spellings of the same address. */
function spelling(address: string): string {
  const at = address.lastIndexOf('@');
  const domain = address.slice(at + 1);
  return `${address.slice(0, at).replace(/^"(.*)"$/, '$1')}@${domainToASCII(domain) || domain.toLowerCase()}`;
}

async function assertReached(email: string): Promise<void> {
  for (const to of [email, { name: '', address: email }]) {
    const { envelope } = await transport.sendMail({ from: 'records@example.com', to, text: 'x' });
    assert.deepEqual(envelope.to.map(spelling), [spelling(email)], JSON.stringify(email));
  }
}

test('an address that is taken is the one that the mail goes to', async () => {
  const piece = fc.oneof(
    { weight: 3, arbitrary: fc.constantFrom('a', 'B', 'evil', 'b.c', '1', '@', '.', '-', '_', '+', 'ü', '日本') },
    fc.constantFrom(...'<>(),;:"[]\\\'`=?%/#&!*| ', '0x1', '。', '\u00ad', '\u200b', 'Ⅷ', '\u037e', '＜', '＠'),
    fc.string({ unit: 'binary', maxLength: 2 }),
  );
  const text = fc.array(piece, { minLength: 1, maxLength: 4 }).map((pieces) => pieces.join(''));
  const address = fc.tuple(text, text, fc.constantFrom('', '.example')).map(([a, b, end]) => `${a}@${b}${end}`);
  let taken = 0;
  const property = fc.asyncProperty(address, async (email) => {
    if (emailProblem(email) !== undefined) return;
    taken += 1;
    await assertReached(email);
  });
  await fc.assert(property, { numRuns: 1_000 });
  assert.ok(taken > 100, `${taken} were taken`);
});

test('addresses that a mail would take elsewhere are refused', () => {
  for (const email of [
    'a@b.c,evil',
    'a@b.c>',
    '<a@b.c',
    'grp:a@b.c;',
    '"a"@b.c',
    '"a@b.c',
    'a\\b@c.d',
    'a(b)@c.d',
    'a@[192.0.2.1]',
    'a@192.0.2.1',
    'a@1',
    'a@0x7f',
    'a@b%c',
    'a@b/c',
    'a@b..c',
    'a@.c',
    'a@b.',
    'a@b。c',
    'a@𮯰a',
    'a@xn--a',
  ]) {
    assert.equal(emailProblem(email)?.path[0], 'email', email);
  }
  for (const email of ['a@localhost', 'A.b+c@Example.COM', 'a..b.@docomo.example', "o'hara@b-c.d", '山田@例え.テスト'])
    assert.equal(emailProblem(email), undefined, email);
});
