// Links with which a user sets a password, made by a user with management access: for a new colleague, or for one who has
// forgotten the password. They are used like those for forgotten passwords (password-resets).

import { randomBytes } from 'node:crypto';
import type { Context } from '../../context.ts';
import { isoTime } from '../../domain/dates/iso-time.ts';
import { SECRET_BYTES, secretHash } from '../../domain/people/tokens.ts';
import { fault, tooBusy } from '../../faults.ts';
import { invitationMail } from '../../mail/invitation-mail.ts';
import type { Mailer } from '../../mail/mailer.ts';
import { type Account, getAccount } from '../../store/people/accounts.ts';
import { replaceResets } from '../../store/people/password-resets.ts';
import type { NewPasswordLink, PasswordLink } from '../../wire/sessions.ts';
import { activityEntries, writeEntries } from '../activity/entries.ts';
import { permitFor } from './managed-user.ts';
import { refuseTakingOver } from './operators.ts';
import { addressOf, handOver, linkTo } from './password-resets.ts';

/** Long enough for a weekend. */
export const LINK_DAYS = 3;
const DAY_MS = 24 * 60 * 60_000;

export async function create(context: Context, userId: string, { mail }: NewPasswordLink): Promise<PasswordLink> {
  const { application, store, now, people } = context;
  const account = await accountFor(context, userId);
  const mailer = mail ? mailerFor(context, account) : undefined;
  const token = randomBytes(SECRET_BYTES).toString('base64url');
  const at = now();
  const expiresAt = isoTime(at + LINK_DAYS * DAY_MS);
  await store.transaction(async (tx) => {
    await replaceResets(tx, {
      tokenHash: secretHash(token),
      userId,
      epoch: account.epoch,
      addressHash: secretHash(addressOf(account)),
      createdAt: isoTime(at),
      expiresAt,
    });
    await writeEntries(tx, activityEntries(context, { kind: 'user.passwordLink', member: 'userId' }, [{ userId }]));
  });
  const link = linkTo(people.publicUrl(), { applicationId: application.id, token, address: addressOf(account) });
  if (mailer === undefined) return { link, expiresAt };
  send(context, mailer, { account, link });
  return { expiresAt };
}

/** The password of a shared user counts in the whole organization. */
async function accountFor(context: Context, userId: string): Promise<Account> {
  const { application, caller, database } = context;
  if (application.singleSignOn) throw fault('FEATURE_DISABLED', { feature: 'passwordReset' });
  if (application.definition.sharedUsersModeEnabled && !caller.organizationManagementApiAccess) {
    throw fault('ORGANIZATION_MANAGEMENT_API_ACCESS_REQUIRED');
  }
  await permitFor(context, userId);
  const account = await getAccount(database, application.id, userId);
  if (account === undefined) throw fault('USER_NOT_FOUND', { userId });
  const { sharedUserId } = account.user;
  await refuseTakingOver(database.system, { applicationId: application.id, userId, sharedUserId });
  return account;
}

function mailerFor({ people: { mailer } }: Context, account: Account): Mailer {
  if (mailer === undefined) throw fault('FEATURE_DISABLED', { feature: 'mail' });
  if (addressOf(account) === '') {
    throw fault('INVALID_BODY', { reason: 'the user has no e-mail address', path: '/mail' });
  }
  return mailer;
}

function send(
  { application, caller, people }: Context,
  mailer: Mailer,
  { account, link }: { readonly account: Account; readonly link: string },
): void {
  const mail = invitationMail({
    to: addressOf(account),
    application: application.definition.name,
    from: caller.name,
    link,
    days: LINK_DAYS,
  });
  if (!people.inBackground('passwordReset', () => handOver(mailer, mail))) throw tooBusy();
}
