// Single sign-on: finds the account of an identity that the provider proved.

import type { VisitorContext } from '../../context.ts';
import type { PreparedApplication } from '../../domain/definition/application.ts';
import { type Identity, NotProved } from '../../single-sign-on/providers.ts';
import type { JointTransaction } from '../../store/database/handles.ts';
import { type Account, accountOf } from '../../store/people/accounts.ts';
import {
  type Addressee,
  bindSharedUser,
  bindUser,
  isSubjectBound,
  sharedUserIdOfSubject,
  sharedUsersOfEmail,
  userOfSharedUser,
  userOfSubject,
  usersOfEmail,
} from '../../store/people/single-sign-on-subjects.ts';

type Scene = Pick<VisitorContext, 'database'> & { readonly application: PreparedApplication };

/** Finds the account by its subject; the first time by its e-mail address, which binds the subject. */
export async function accountOfIdentity(
  scene: Scene,
  identity: Identity,
  settings: { readonly emailsAreVerified?: boolean },
): Promise<Account> {
  const subject = `${identity.issuer} ${identity.sub}`;
  let account = await accountOfSubject(scene, subject);
  if (account === undefined) {
    const claim = await identity.email();
    if (claim === undefined) throw new NotProved('no e-mail address is said, and the subject is not known');
    if (claim.verified !== true && !(claim.verified === undefined && settings.emailsAreVerified === true))
      throw new NotProved('the e-mail address is not verified, and the subject is not known');
    await bindByEmail(scene, { subject, issuer: identity.issuer, email: claim.email });
    account = await accountOfSubject(scene, subject);
  }
  if (account === undefined) throw new NotProved('the user is gone');
  if (account.disabled) throw new NotProved('the user is disabled');
  return account;
}

async function accountOfSubject({ application, database }: Scene, subject: string): Promise<Account | undefined> {
  const { system } = database;
  const store = database.application(application.id);
  const { sharedUsersModeEnabled, organization } = application.definition;
  if (!sharedUsersModeEnabled) {
    const user = await userOfSubject(store, subject);
    return user && accountOf(system, user);
  }
  const sharedUserId = await sharedUserIdOfSubject(system, organization, subject);
  if (sharedUserId === undefined) return undefined;
  const user = await userOfSharedUser(store, sharedUserId);
  if (user === undefined) throw new NotProved('the shared user is not active in the application');
  return accountOf(system, user);
}

interface Claim {
  readonly subject: string;
  readonly issuer: string;
  readonly email: string;
}

async function bindByEmail({ application, database }: Scene, claim: Claim): Promise<void> {
  const { sharedUsersModeEnabled, organization } = application.definition;
  try {
    await database.jointTransaction(application.id, (tx) =>
      sharedUsersModeEnabled ? bindSharedByEmail(tx, organization, claim) : bindUserByEmail(tx, claim),
    );
  } catch (error) {
    // The caller looks up the account that another request has bound meanwhile.
    if (!isSubjectBound(error)) throw error;
  }
}

async function bindUserByEmail({ application }: JointTransaction, claim: Claim): Promise<void> {
  const user = theOne(await usersOfEmail(application, claim.email), claim);
  await bindUser(application, user, claim.subject);
}

/** A subject is bound only to an account that may sign in. */
async function bindSharedByEmail(
  { system, application }: JointTransaction,
  organization: string,
  claim: Claim,
): Promise<void> {
  const shared = theOne(await sharedUsersOfEmail(system, organization, claim.email), claim);
  const user = await userOfSharedUser(application, shared.id);
  if (user === undefined) throw new NotProved('the shared user is not active in the application');
  if (user.disabled) throw new NotProved('the user is disabled');
  await bindSharedUser(system, shared, claim.subject);
}

/**
 * Compares exactly: the search folds more than case (a Kelvin sign equals k), and the owner of an address that only looks
 * alike must not get the account. A subject of another issuer was bound before the organization changed its provider; the
 * same subject was bound by another request meanwhile.
 */
function theOne(found: readonly Addressee[], { email, issuer, subject }: Claim): Addressee {
  const [only, ...others] = found.filter((one) => asciiLower(one.email) === asciiLower(email));
  if (only === undefined) throw new NotProved('no user with access has the e-mail address');
  if (others.length > 0) throw new NotProved('several have the e-mail address');
  if (only.subject !== subject && only.subject?.startsWith(`${issuer} `))
    throw new NotProved('who has the e-mail address is bound to another subject');
  return only;
}

const asciiLower = (text: string): string => text.replace(/[A-Z]+/g, (letters) => letters.toLowerCase());
