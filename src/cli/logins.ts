// As whom a user's command talks to a server: by CARTULARY_TOKEN, or by a login profile. A token goes only to the address
// that it was made for, and to other machines only over https.

import { isIdentifier } from '../wire/identifiers.ts';
import { chosen } from './commands/names.ts';
import { CommandFailure, usageFailure } from './failure.ts';
import { type AddressOptions, requireSafe } from './operator-address.ts';
import { type Profile, type Profiles, readProfiles } from './profiles.ts';
import { programName } from './program-name.ts';

export interface UserOptions extends AddressOptions {
  readonly profile?: string;
  readonly application?: string;
}

/** A token, and where it is valid. */
export interface Login {
  /** The server's address, without a slash at the end. */
  readonly address: string;
  readonly applicationId: string;
  readonly token: string;
  /** Where the token comes from, for messages. */
  readonly source: string;
  /** The name of the profile, if it comes from one. */
  readonly profile?: string;
}

/** What the address of an application in the console, or of its interface, says. */
export function readLink(link: string): { readonly address: string; readonly applicationId?: string } {
  const { address = '', applicationId } =
    /^(?<address>.*?)(?:\/(?:console|v1)(?:\/(?<applicationId>p[a-z0-9]{26})(?:[/?#].*)?)?)?\/*$/s.exec(link.trim())
      ?.groups ?? {};
  return applicationId === undefined ? { address } : { address, applicationId };
}

export function findLogin(environment: NodeJS.ProcessEnv, options: UserOptions): Promise<Login> {
  const { CARTULARY_TOKEN: token } = environment;
  return token ? givenLogin(environment, token, options) : keptLogin(environment, options);
}

/** What the options and the token leave open is that of the profile. */
async function givenLogin(environment: NodeJS.ProcessEnv, token: string, options: UserOptions): Promise<Login> {
  const { url, application, insecure = false } = options;
  const link = url === undefined ? undefined : readLink(url);
  const kept =
    link?.applicationId === undefined ? await keptProfile(environment, options).catch(() => undefined) : undefined;
  const address = link?.address ?? kept?.profile.address;
  if (address === undefined) {
    throw usageFailure('CARTULARY_TOKEN is set, but no server: give --url, or log in once to keep its address.');
  }
  const named = application !== undefined && isIdentifier('applicationId', application) ? application : undefined;
  const isSameServer = kept !== undefined && kept.profile.address === address;
  const applicationId = link?.applicationId ?? named ?? (isSameServer ? kept.profile.application.id : undefined);
  if (applicationId === undefined) {
    throw usageFailure(
      'CARTULARY_TOKEN is set, but no application: give its ID by --application, or the address of its page in the console by --url.',
    );
  }
  await requireSafe(address, {
    insecure: insecure || (isSameServer && kept.profile.insecure === true),
    secret: 'the token',
  });
  return { address, applicationId, token, source: 'CARTULARY_TOKEN' };
}

async function keptLogin(environment: NodeJS.ProcessEnv, options: UserOptions): Promise<Login> {
  const { name, profile } = await keptProfile(environment, options);
  const { address, application, token } = profile;
  if (options.url !== undefined && readLink(options.url).address !== address) {
    throw usageFailure(
      `The profile ${name} is for ${address}, and its token goes to no other address. Use \`${programName()} login ${options.url} --profile …\`.`,
    );
  }
  const insecure = options.insecure === true || profile.insecure === true;
  await requireSafe(address, { insecure, secret: 'the token' });
  return { address, applicationId: application.id, token, source: `the profile ${name}`, profile: name };
}

export interface KeptProfile {
  readonly name: string;
  readonly profile: Profile;
}

export async function keptProfile(
  environment: NodeJS.ProcessEnv,
  { profile: given, application }: UserOptions,
): Promise<KeptProfile> {
  const all = await readProfiles(environment);
  const wanted = given ?? (environment.CARTULARY_PROFILE || undefined);
  const name =
    wanted !== undefined
      ? chosen('login profile', wanted, candidates(all)).name
      : application === undefined
        ? all.current
        : ofApplication(all, application);
  const profile = name === undefined ? undefined : all.profiles[name];
  if (name === undefined || profile === undefined) throw notLoggedIn();
  return { name, profile };
}

const candidates = ({ profiles }: Profiles) => Object.keys(profiles).map((name) => ({ id: name, name }));

/** The current profile, if it is for that application, or else the only one that is. */
function ofApplication({ current, profiles }: Profiles, given: string): string {
  const applications = new Map(Object.values(profiles).map(({ application }) => [application.id, application]));
  if (applications.size === 0) throw notLoggedIn();
  const { id, name } = chosen('application with a login profile', given, [...applications.values()]);
  const names = Object.keys(profiles).filter((profile) => profiles[profile]?.application.id === id);
  const [first = '', ...others] = names;
  if (others.length === 0) return first;
  if (current !== undefined && names.includes(current)) return current;
  throw usageFailure(`Several profiles are for ${name}: ${names.join(', ')}. Give one by --profile.`);
}

export const notLoggedIn = (): CommandFailure =>
  new CommandFailure(
    `You are not logged in. \`${programName()} login\` asks for the server, the application and who you are. A script sets CARTULARY_TOKEN and gives --url.`,
    { exit: 'noRight' },
  );
