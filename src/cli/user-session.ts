// What a user's command works with: the interface as the user of a login, and the definition of the application.

import { CartularyError, ConnectionError } from '../../client/src/errors.ts';
import type { RawOperations } from '../../client/src/operation-types.ts';
import { rawOperations } from '../../client/src/raw.ts';
import type { ApplicationDefinition, CollectionDefinition } from '../../client/src/shapes.ts';
import { type ConnectionOptions, Transport } from '../../client/src/transport.ts';
import { checkedReplies } from './checked-replies.ts';
import { findCollection } from './commands/names.ts';
import { CommandFailure, exitOfStatus } from './failure.ts';
import { findLogin, type Login, type UserOptions } from './logins.ts';
import { keepNames } from './name-cache.ts';
import { connectFailure } from './operator-connection.ts';
import { programName } from './program-name.ts';
import { Refusal } from './refusals.ts';

export interface UserSession {
  readonly login: Login;
  readonly raw: RawOperations;
  /** Read once. */
  definition(): Promise<ApplicationDefinition>;
  /** By its name or ID. */
  collection(given: string): Promise<CollectionDefinition>;
}

/** A person waits for the command: it tries again for seconds, not for minutes. */
const PATIENCE = { retries: 2, waitSecondsMax: 10 };

export const connect = (options: Omit<ConnectionOptions, 'retries' | 'waitSecondsMax'>): RawOperations =>
  checkedReplies(rawOperations(new Transport({ ...options, ...PATIENCE })), options.url);

export async function connectUser(environment: NodeJS.ProcessEnv, options: UserOptions): Promise<UserSession> {
  const login = await findLogin(environment, options);
  const { address: url, applicationId: application, token } = login;
  const raw = connect({ url, application, token });
  let read: Promise<ApplicationDefinition> | undefined;
  const definition = () => {
    read ??= raw.getApplication({}).then(async ({ body }) => {
      await keepNames(environment, body);
      return body;
    });
    return read;
  };
  return { login, raw, definition, collection: async (given) => findCollection(await definition(), given) };
}

/** What the client throws, as a sentence that names the next step. */
export function userFailure(error: unknown, { address, source }: { address: string; source?: string }): unknown {
  const { origin } = new URL(address);
  if (error instanceof CartularyError) {
    const { code, params, status } = error;
    if (code === 'UNAUTHORIZED' && source !== undefined) return refusedToken(origin, source);
    if (code !== String(status)) return new Refusal(code, params, status);
    return new CommandFailure(
      `${origin} replied with status ${status}, and not as a Cartulary server does. Is the address right?`,
      {
        cause: error,
        exit: exitOfStatus(status),
      },
    );
  }
  // What the client says about a program that is no server of ours.
  if (error instanceof Error && /redirects to|something other than JSON/.test(error.message)) {
    return new CommandFailure(error.message, { cause: error });
  }
  if (!(error instanceof ConnectionError)) return error;
  const causes = [error.cause, (error.cause as Error | undefined)?.cause];
  const why = causes.map((cause) => (cause === undefined ? undefined : connectFailure(cause, origin))).find(Boolean);
  return new CommandFailure(
    why === undefined
      ? `The server at ${origin} did not send a whole reply. What was asked for may or may not have been done.`
      : `${why} If it listens elsewhere, \`${programName()} login\` keeps the new address.`,
    { cause: error, exit: 'unavailable' },
  );
}

const refusedToken = (origin: string, source: string): CommandFailure =>
  new CommandFailure(
    `The server at ${origin} refused the token from ${source}: it was revoked, has expired or belongs to another application. ${source === 'CARTULARY_TOKEN' ? 'Set another one' : `\`${programName()} login\` makes a new one`}.`,
    { exit: 'noRight' },
  );
