// Organizations: single sign-on settings, and the first of their shared users.

import type { OperatorContext } from '../context.ts';
import { fault } from '../faults.ts';
import { issuerProblem } from '../sign-on/issuer.ts';
import { announce } from '../store/hearing.ts';
import { getOrganization, putOrganization, type SingleSignOn } from '../store/organizations.ts';
import type { OrganizationSettings } from '../wire/operator.ts';
import { ORGANIZATION_LENGTH_MAX } from '../wire/publish-document.ts';
import type { ManagementSharedUser } from '../wire/users.ts';
import { isoTime } from './record-drafts.ts';
import { newSharedUser, sharedUserView, storeSharedUser } from './shared-users.ts';
import { redirectAddress } from './single-sign-on.ts';
import { OPERATOR_DOOR, readNewSharedUser } from './user-bodies.ts';

async function existing(context: OperatorContext, name: string) {
  const organization = await getOrganization(context.database.system, name);
  if (organization === undefined)
    throw fault('ORGANIZATION_NOT_FOUND', { name: name.slice(0, ORGANIZATION_LENGTH_MAX) });
  return organization;
}

/** Never with the client secret, and with what has to be registered at the provider. */
function view({ publicUrl }: OperatorContext, name: string, singleSignOn: SingleSignOn | null) {
  if (singleSignOn === null) return { name, singleSignOn };
  const { clientSecret: _hidden, ...shown } = singleSignOn;
  return { name, singleSignOn: { ...shown, redirectAddress: redirectAddress(publicUrl(), name) } };
}

export async function show(context: OperatorContext, name: string) {
  const organization = await existing(context, name);
  return view(context, name, organization.singleSignOn);
}

/** Makes the organization when there is none. A client secret that is left out stays what it is. */
export async function put(context: OperatorContext, name: string, body: OrganizationSettings) {
  checkName(name, body);
  const { singleSignOn } = body;
  const reason = singleSignOn === null ? undefined : issuerProblem(singleSignOn.issuer);
  if (reason !== undefined) throw fault('INVALID_BODY', { reason, path: '/singleSignOn/issuer' });
  const settings = await context.database.system.transaction(async (tx) => {
    const secret = singleSignOn?.clientSecret ?? (await getOrganization(tx, name))?.singleSignOn?.clientSecret;
    if (singleSignOn !== null && secret === undefined) {
      throw fault('INVALID_BODY', { reason: 'is missing', path: '/singleSignOn/clientSecret' });
    }
    const stored = singleSignOn && settingsOf(singleSignOn, secret);
    await putOrganization(tx, name, stored);
    await announce(tx, 'everything');
    return stored;
  });
  context.hear('everything');
  return view(context, name, settings);
}

/** The address is made anew whenever it is shown. */
function settingsOf(
  { redirectAddress: _shown, ...given }: NonNullable<OrganizationSettings['singleSignOn']>,
  clientSecret: string | undefined,
): SingleSignOn {
  return { ...given, ...(clientSecret === undefined ? {} : { clientSecret }) };
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
  input: unknown,
): Promise<ManagementSharedUser> {
  const organization = await existing(context, organizationName);
  const body = readNewSharedUser(input, organization.singleSignOn !== null, OPERATOR_DOOR);
  const user = await newSharedUser(context, organization.name, body);
  await context.database.system.transaction((tx) => storeSharedUser(tx, user, isoTime(context.now())));
  return sharedUserView(user);
}
