// `cartulary login` and `logout`: keep a token in a profile, so that commands know the server, the application and the
// user. A password is used once, to make a token through the interface; it is never kept.

import { hostname } from 'node:os';
import type { RawOperations } from '../../../client/src/operation-types.ts';
import type { Session } from '../../../client/src/shapes.ts';
import { isIdentifier } from '../../wire/identifiers.ts';
import { TOKEN_NAME_MAX } from '../../wire/tokens.ts';
import { CommandFailure, usageFailure } from '../failure.ts';
import { keptProfile, readLink, type UserOptions } from '../logins.ts';
import { keepNames } from '../name-cache.ts';
import { requireSafe } from '../operator-address.ts';
import { connectOperator } from '../operator-client.ts';
import { PROFILE_NAME, type Profile, readProfiles, removeProfile, saveProfile } from '../profiles.ts';
import { programName } from '../program-name.ts';
import { askLine, askUnseen, isAtTerminal } from '../prompts.ts';
import { Refusal } from '../refusals.ts';
import { connect, userFailure } from '../user-session.ts';
import { findApplicationId } from './names.ts';
import { PASSWORD_OPTION, passwordAdvice, readPiped } from './passwords.ts';
import { type Call, type CommandRow, localCommand } from './row.ts';

interface LoginOptions extends UserOptions {
  readonly user?: string;
  readonly passwordStdin?: true;
  readonly tokenStdin?: true;
}

const DEFAULT_ADDRESS = 'http://127.0.0.1:8080';

async function login({ args: [link], options, environment }: Call<LoginOptions>): Promise<void> {
  const { profile: wanted, insecure = false } = options;
  if (wanted !== undefined && !PROFILE_NAME.test(wanted)) {
    throw usageFailure(`--profile ${wanted} cannot be a name: letters and digits, and after the first also . _ @ -`);
  }
  const place = await askPlace(environment, link, options);
  await requireSafe(place.address, { insecure, secret: 'the password or token' });
  try {
    const name = await applicationName(place);
    const { session, ...token } = options.tokenStdin ? await givenToken(place) : await madeToken(place, options);
    const profile: Profile = {
      address: place.address,
      application: { id: place.applicationId, name },
      user: session.user,
      ...token,
      ...(insecure ? { insecure } : {}),
    };
    await keepOrRevoke(environment, wanted, profile);
    // For completion; a failure here fails no login.
    const raw = connect({ url: place.address, application: place.applicationId, token: profile.token });
    if (session.apiAccess)
      await raw.getApplication({}).then(
        ({ body }) => keepNames(environment, body),
        () => undefined,
      );
    if (!session.apiAccess) {
      console.error(`Warning: ${session.user.name} has no API access, so that most commands will be refused.`);
    }
  } catch (error) {
    throw userFailure(error, place);
  }
}

interface Place {
  readonly address: string;
  readonly applicationId: string;
}

async function askPlace(
  environment: NodeJS.ProcessEnv,
  link: string | undefined,
  { application: given, insecure = false }: LoginOptions,
): Promise<Place> {
  const typed =
    link ?? (await ask('Address of the server, or of the application in the console', 'an address', DEFAULT_ADDRESS));
  const { address, applicationId } = readLink(typed);
  const application = given ?? applicationId ?? (await ask('Application (its ID)', '--application'));
  if (isIdentifier('applicationId', application)) return { address, applicationId: application };
  // Only the operator may list applications, so that only the operator can name one.
  const withoutKey = () =>
    usageFailure(
      `${application} is not the ID of an application, and names can be looked up only with the operator key. The address of the application in the console has the ID.`,
    );
  const operator = await connectOperator(environment, { url: address, insecure }).catch(() => {
    throw withoutKey();
  });
  try {
    return { address, applicationId: await findApplicationId(operator, application) };
  } catch (error) {
    // The key that is found here may be that of another server.
    throw error instanceof CommandFailure && error.exit === 'noRight' ? withoutKey() : error;
  }
}

/** `option`: what to give where nobody can be asked. */
async function ask(question: string, option: string, fallback?: string): Promise<string> {
  if (!isAtTerminal()) throw usageFailure(`There is no terminal to ask on: give ${option}.`);
  const answer = await askLine(question, fallback);
  if (answer === '') throw usageFailure('Nothing was done: the answer was empty.');
  return answer;
}

async function applicationName({ address, applicationId }: Place): Promise<string> {
  const { body } = await connect({ url: address, application: applicationId }).getSignInMethods({});
  if (body.name !== undefined) return body.name;
  throw new CommandFailure(`There is no application ${applicationId} at ${address}.`, { exit: 'notFound' });
}

interface Token {
  readonly session: Session;
  readonly token: string;
  readonly tokenId?: string;
}

async function givenToken({ address, applicationId }: Place): Promise<Token> {
  const token = (await readPiped('token')).trim();
  try {
    const { body: session } = await connect({ url: address, application: applicationId, token }).getSession({});
    return { session, token };
  } catch (error) {
    throw userFailure(error, { address, source: 'standard input' });
  }
}

async function madeToken(place: Place, options: LoginOptions): Promise<Token> {
  const raw = connect({ url: place.address, application: place.applicationId });
  const user = options.user ?? (await ask('User (ID or e-mail address)', '--user'));
  const isEmail = user.includes('@');
  if (!isEmail && !isIdentifier('userId', user)) {
    throw usageFailure(`${user} is neither the ID of a user, such as u4m9xq2a, nor an e-mail address.`);
  }
  const password = await readOnce(options);
  const session = await signIn(raw, isEmail ? { email: user, password } : { userId: user, password });
  try {
    const name = `command line on ${hostname()}`.slice(0, TOKEN_NAME_MAX);
    const { body } = await raw.createToken({ userId: session.user.id, body: { name } });
    return { session, token: body.token, tokenId: body.id };
  } finally {
    await raw.endSession({}).catch(() => undefined);
  }
}

async function readOnce({ passwordStdin }: LoginOptions): Promise<string> {
  if (passwordStdin) return readPiped('password');
  if (isAtTerminal()) return askUnseen(process.stdin, process.stderr, 'Password: ');
  throw usageFailure(
    'There is no terminal to ask on: pipe the password in with --password-stdin, or a token with --token-stdin.',
  );
}

async function signIn(
  raw: RawOperations,
  body: { readonly password: string } & ({ readonly email: string } | { readonly userId: string }),
): Promise<Session> {
  try {
    return (await raw.signIn({ body })).body;
  } catch (error) {
    if ((error as { code?: string }).code !== 'UNAUTHORIZED') throw error;
    const { password } = (await raw.getSignInMethods({})).body;
    throw new CommandFailure(
      password
        ? 'The server refused the user or the password.'
        : 'This application has single sign-on, not passwords: make a token in the console, and pipe it in with --token-stdin.',
      { exit: 'noRight' },
    );
  }
}

/** A token that nobody has would stay valid. */
async function keepOrRevoke(
  environment: NodeJS.ProcessEnv,
  wanted: string | undefined,
  profile: Profile,
): Promise<void> {
  try {
    await keep(environment, wanted, profile);
  } catch (error) {
    await revoke(profile).catch(() => undefined);
    throw error;
  }
}

async function keep(environment: NodeJS.ProcessEnv, wanted: string | undefined, profile: Profile): Promise<void> {
  const { profiles } = await readProfiles(environment);
  const name = wanted ?? (environment.CARTULARY_PROFILE || freeName(profiles, profile));
  const former = profiles[name];
  await saveProfile(environment, name, profile);
  if (former !== undefined) await revoke(former).catch(() => undefined);
  const { application, address, user } = profile;
  console.log(`Logged in to ${application.name} at ${address} as ${user.name} (${user.id}).`);
  console.log(`The profile ${name} keeps it; commands use it from now on. \`${programName()} logout\` ends it.`);
}

/** The application's name. A login as somebody else, or elsewhere, does not replace the first one. */
function freeName(profiles: Readonly<Record<string, Profile>>, { address, application, user }: Profile): string {
  const plain = application.name
    .toLowerCase()
    .replaceAll(/[^\p{L}\p{N}]+/gu, '-')
    .replaceAll(/^-+|-+$/g, '');
  const base = plain.slice(0, 40) || 'default';
  for (let number = 1; ; number++) {
    const name = number === 1 ? base : `${base}-${number}`;
    const held = profiles[name];
    const isSame = held?.address === address && held.application.id === application.id && held.user.id === user.id;
    if (held === undefined || isSame) return name;
  }
}

async function revoke({ address, application, user, token, tokenId }: Profile): Promise<void> {
  if (tokenId === undefined) return;
  const raw = connect({ url: address, application: application.id, token });
  await raw.revokeToken({ userId: user.id, tokenId });
}

async function logout({ options, environment }: Call<UserOptions>): Promise<void> {
  const { name, profile } = await keptProfile(environment, options);
  let failure: unknown;
  try {
    await requireSafe(profile.address, { insecure: profile.insecure === true, secret: 'the token' });
    await revoke(profile);
  } catch (error) {
    failure = userFailure(error, profile);
  }
  await removeProfile(environment, name);
  const isGone = failure instanceof Refusal && ['UNAUTHORIZED', 'TOKEN_NOT_FOUND'].includes(failure.code);
  if (failure !== undefined && !isGone) {
    const { message, exit = 'failed' } = failure as CommandFailure;
    throw new CommandFailure(
      `The profile ${name} is removed, but its token is still valid: ${message} Revoke the token ${profile.tokenId} in the console, or let an operator do it.`,
      { cause: failure, exit },
    );
  }
  const what = profile.tokenId === undefined ? 'The token that you gave stays valid' : 'Its token is revoked';
  console.log(`Logged out of ${profile.application.name}. ${what}.`);
}

export const LOGIN_COMMANDS: readonly CommandRow[] = [
  localCommand<LoginOptions>({
    usage: 'login [address]',
    summary: 'log in to an application, for the commands of users',
    options: [
      { flags: '--application <application>', text: 'ID of the application, unless the address has it' },
      { flags: '--user <user>', text: 'ID or e-mail address of the user' },
      PASSWORD_OPTION,
      { flags: '--token-stdin', text: 'read a token from standard input instead of making one with a password' },
      { flags: '--profile <name>', text: 'name of the profile that keeps it; by default from the application' },
      { flags: '--insecure', text: 'send the password and the token over plain HTTP to other machines' },
    ],
    details: `The address is that of the server, or the one that the browser shows for the application in the console, which has
the application's ID too. What is not given is asked for on the terminal.

The password makes a token and is forgotten. Address and token are kept in a file that only you can read. \`logout\`
revokes the token and removes it. A profile that was logged in before gets a new token.`,
    advice: passwordAdvice,
    examples: ['login', 'login https://records.example.com/console/p0123456789abcdefghijklmnop --user ada@example.com'],
    run: login,
  }),
  localCommand<UserOptions>({
    usage: 'logout',
    summary: 'revoke the token of a login, and forget its profile',
    options: [
      { flags: '--profile <name>', text: 'which login; by default from CARTULARY_PROFILE, or the current one' },
    ],
    examples: ['logout', 'logout --profile field-inspections'],
    run: logout,
  }),
];
