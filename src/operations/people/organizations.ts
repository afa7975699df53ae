// Organizations, which the operator sets up: their name and their single sign-on.

import type { OperatorContext } from '../../context.ts';
import { fault } from '../../faults.ts';
import { issuerProblem } from '../../single-sign-on/providers.ts';
import {
  getOrganization,
  listOrganizations,
  lockSingleSignOn,
  type SingleSignOn,
  setSingleSignOn,
} from '../../store/applications/organizations.ts';
import { announceToNodes } from '../../store/nodes/messages.ts';
import type { OrganizationSettings, SingleSignOnExamination } from '../../wire/operator.ts';
import { ORGANIZATION_LENGTH_MAX } from '../../wire/publish-document.ts';
import { redirectAddress } from './single-sign-on.ts';

export async function existingOrganization(context: OperatorContext, name: string) {
  const organization = await getOrganization(context.database.system, name);
  if (organization === undefined)
    throw fault('ORGANIZATION_NOT_FOUND', { name: name.slice(0, ORGANIZATION_LENGTH_MAX) });
  return organization;
}

/** Without the client secret, and with the address that has to be registered at the provider. */
function view({ publicUrl }: OperatorContext, name: string, singleSignOn: SingleSignOn | null) {
  if (singleSignOn === null) return { name, singleSignOn };
  const { clientSecret: _hidden, ...shown } = singleSignOn;
  return { name, singleSignOn: { ...shown, redirectAddress: redirectAddress(publicUrl(), name) } };
}

export async function list(context: OperatorContext, page: { readonly skip: number; readonly limit: number }) {
  const organizations = await listOrganizations(context.database.system, page);
  return organizations.map(({ name, singleSignOn }) => view(context, name, singleSignOn));
}

export async function show(context: OperatorContext, name: string) {
  const organization = await existingOrganization(context, name);
  return view(context, name, organization.singleSignOn);
}

/** Null without single sign-on. */
export async function examineProvider(context: OperatorContext, name: string): Promise<SingleSignOnExamination> {
  const { singleSignOn } = await existingOrganization(context, name);
  return { examination: singleSignOn && (await context.providers.examine(singleSignOn)) };
}

/**
 * Creates the organization if it does not exist. A client secret that is left out stays as it is, but is never sent to a
 * provider other than the one that issued it.
 */
export async function put(context: OperatorContext, name: string, body: OrganizationSettings) {
  checkName(name, body);
  const { singleSignOn } = body;
  const reason = singleSignOn === null ? undefined : issuerProblem(singleSignOn.issuer);
  if (reason !== undefined) throw fault('INVALID_BODY', { reason, path: '/singleSignOn/issuer' });
  const settings = await context.database.system.transaction(async (tx) => {
    const former = await lockSingleSignOn(tx, name);
    const stored = singleSignOn && settingsOf(singleSignOn, secretOf(singleSignOn, former));
    const endsSessions = former?.issuer !== stored?.issuer || former?.clientId !== stored?.clientId;
    await setSingleSignOn(tx, name, { singleSignOn: stored, endsSessions });
    await announceToNodes(tx, 'everything');
    return stored;
  });
  context.invalidate('everything');
  return view(context, name, settings);
}

type GivenSettings = NonNullable<OrganizationSettings['singleSignOn']>;

function secretOf({ issuer, clientId, clientSecret }: GivenSettings, former: SingleSignOn | null): string {
  const isSame = former?.issuer === issuer && former.clientId === clientId;
  const secret = clientSecret ?? (isSame ? former.clientSecret : undefined);
  if (secret !== undefined) return secret;
  const reason = former === null ? 'is missing' : 'is missing, for another issuer or client than before';
  throw fault('INVALID_BODY', { reason, path: '/singleSignOn/clientSecret' });
}

/** The redirect address is not stored: it is built for every reply. */
function settingsOf({ redirectAddress: _shown, ...given }: GivenSettings, clientSecret: string): SingleSignOn {
  return { ...given, clientSecret };
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
