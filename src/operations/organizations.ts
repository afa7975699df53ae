// Organizations: single sign-on settings, and the first of their shared users.

import type { OperatorContext } from '../context.ts';
import { passwordWeakness } from '../domain/passwords.ts';
import { emailProblem, userNameProblem } from '../domain/users.ts';
import { fault } from '../faults.ts';
import { announce } from '../store/hearing.ts';
import { getOrganization, putOrganization, type SingleSignOn } from '../store/organizations.ts';
import { insertSharedUser } from '../store/shared-users.ts';
import { violatedConstraint } from '../store/sqlstate.ts';
import type { OrganizationSettings } from '../wire/operator.ts';
import { ORGANIZATION_LENGTH_MAX } from '../wire/publish-document.ts';
import type { ManagementSharedUser, NewSharedUser } from '../wire/users.ts';

async function existing(context: OperatorContext, name: string) {
  const organization = await getOrganization(context.database.system, name);
  if (organization === undefined)
    throw fault('ORGANIZATION_NOT_FOUND', { name: name.slice(0, ORGANIZATION_LENGTH_MAX) });
  return organization;
}

/** Never with the client secret. */
function view(name: string, singleSignOn: SingleSignOn | null) {
  return { name, singleSignOn: singleSignOn && { issuer: singleSignOn.issuer, clientId: singleSignOn.clientId } };
}

export async function show(context: OperatorContext, name: string) {
  const organization = await existing(context, name);
  return view(name, organization.singleSignOn);
}

/** Makes the organization when there is none. A client secret that is left out stays what it is. */
export async function put(context: OperatorContext, name: string, body: OrganizationSettings) {
  checkName(name, body);
  const { singleSignOn } = body;
  if (singleSignOn !== null && !/^https?:\/\//.test(singleSignOn.issuer)) {
    throw fault('INVALID_BODY', { reason: 'must be an http(s) address', path: '/singleSignOn/issuer' });
  }
  const settings = await context.database.system.transaction(async (tx) => {
    const secret = singleSignOn?.clientSecret ?? (await getOrganization(tx, name))?.singleSignOn?.clientSecret;
    if (singleSignOn !== null && secret === undefined) {
      throw fault('INVALID_BODY', { reason: 'is missing', path: '/singleSignOn/clientSecret' });
    }
    const stored = singleSignOn && { ...singleSignOn, ...(secret === undefined ? {} : { clientSecret: secret }) };
    await putOrganization(tx, name, stored);
    await announce(tx, 'everything');
    return stored;
  });
  context.hear('everything');
  return view(name, settings);
}

function checkName(name: string, body: OrganizationSettings): void {
  if (body.name !== undefined && body.name !== name) {
    throw fault('INVALID_BODY', { reason: 'must be the name in the address', path: '/name' });
  }
  const length = [...name].length;
  if (
    length < 1 ||
    length > ORGANIZATION_LENGTH_MAX ||
    name.trim() === '' ||
    name === '.' ||
    name === '..' ||
    /\p{Cc}|\p{Cs}/u.test(name)
  ) {
    const reason = `must have 1 to ${ORGANIZATION_LENGTH_MAX} characters without control characters`;
    throw fault('INVALID_PARAMETER', { parameter: 'name', reason });
  }
}

export async function createSharedUser(
  context: OperatorContext,
  organizationName: string,
  body: NewSharedUser,
): Promise<ManagementSharedUser> {
  const organization = await existing(context, organizationName);
  const problem = userNameProblem(body.name) ?? emailProblem(body.email);
  if (problem !== undefined) throw fault('INVALID_BODY', { reason: problem.reason, path: `/${problem.property}` });
  checkPassword(body.password, organization.singleSignOn !== null);
  const { name, email, password } = body;
  const user = { id: context.ids.long('u'), name, email, disabled: false };
  try {
    const { text, params } = insertSharedUser({
      ...user,
      organization: organization.name,
      passwordHash: password === undefined ? null : await context.hashPassword(password),
      createdAt: new Date(context.now()).toISOString(),
    });
    await context.database.system.write(text, params);
  } catch (error) {
    throw violatedConstraint(error) === 'shared_users_name_key' ? fault('USER_NAME_TAKEN', { name }) : error;
  }
  return user;
}

/** People sign on either with a password or at the organization's provider, never both. */
function checkPassword(password: string | undefined, singleSignOn: boolean): void {
  if (singleSignOn) {
    if (password !== undefined)
      throw fault('PASSWORD_NOT_ALLOWED', { property: 'password', reason: 'single sign-on is on' });
    return;
  }
  if (password === undefined) throw fault('INVALID_BODY', { reason: 'is missing', path: '/password' });
  const weakness = passwordWeakness(password);
  if (weakness !== undefined) throw fault('WEAK_PASSWORD', { property: 'password', reason: weakness });
}
