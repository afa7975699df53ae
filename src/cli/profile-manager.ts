// Lets a user with management access run the operator's commands for people: the requests of those commands go to the
// operations of the interface that do the same for the application of a login.

import { foldText } from '../domain/search/fold.ts';
import { CommandFailure } from './failure.ts';
import { findLogin, type UserOptions } from './logins.ts';
import type { AddressOptions } from './operator-address.ts';
import { connectOperator, hasOperatorKey, type OperatorClient } from './operator-client.ts';
import { connectUser, type UserSession, userFailure } from './user-session.ts';

export interface ManagerOptions extends AddressOptions {
  readonly login?: string;
}

/** A profile if one is named, otherwise the operator key, or the current profile where there is no key. */
export async function connectManager(environment: NodeJS.ProcessEnv, options: ManagerOptions): Promise<OperatorClient> {
  const { login, url, insecure } = options;
  const user: UserOptions = {
    ...(login === undefined ? {} : { profile: login }),
    ...(url === undefined ? {} : { url }),
    ...(insecure === undefined ? {} : { insecure }),
  };
  if (login === undefined) {
    const isOperator = await hasOperatorKey(environment);
    const isUser = !isOperator && (await hasLogin(environment, user));
    if (!isUser) return connectOperator(environment, options);
  }
  const session = await connectUser(environment, user);
  const manager = new Manager(session);
  return {
    root: session.login.address,
    send: (method, path, body) => manager.send(method, path, body),
    lines: () => {
      throw operatorOnly();
    },
  };
}

const hasLogin = (environment: NodeJS.ProcessEnv, options: UserOptions): Promise<boolean> =>
  findLogin(environment, options).then(
    () => true,
    () => false,
  );

const operatorOnly = (): CommandFailure =>
  new CommandFailure('This needs the operator key; a login profile cannot do it.', { exit: 'noRight' });

interface Request {
  readonly ids: readonly string[];
  readonly query: URLSearchParams;
  readonly body: unknown;
}

interface Person {
  readonly id: string;
  readonly name: string;
  readonly email: string;
}

type Page = { search?: string; skip: number; limit: number };
type Route = (session: UserSession, request: Request) => Promise<unknown>;

const USER = '/applications/([^/]+)/users/([^/]+)';
const SHARED_USER = '/organizations/([^/]+)/sharedUsers/([^/]+)';

/** By method and path of the operator's interface. `ids`: what the parentheses of the path stand for. */
const ROUTES: Readonly<Record<string, Route>> = {
  'GET /applications': async ({ definition }) => [await definition()],
  // The interface does not list profiles and teams.
  'GET /applications/([^/]+)': async ({ definition }) => ({ profiles: [], teams: [], ...(await definition()) }),
  'GET /applications/([^/]+)/users': ({ raw }, { query }) =>
    list(query, (page) => raw.listManagementUsers(page).then(({ body }) => body)),
  'POST /applications/([^/]+)/users': ({ raw }, { body }) => bodyOf(raw.createManagementUser({ body: body as never })),
  [`GET ${USER}`]: ({ raw }, { ids: [, userId = ''] }) => bodyOf(raw.getManagementUser({ userId })),
  [`PUT ${USER}`]: ({ raw }, { ids: [, userId = ''], body }) =>
    bodyOf(raw.updateManagementUser({ userId, body: body as never })),
  [`DELETE ${USER}`]: ({ raw }, { ids: [, userId = ''] }) => bodyOf(raw.deleteManagementUser({ userId })),
  [`PUT ${USER}/password`]: async ({ raw }, { ids: [, userId = ''], body }) => {
    const { id: _id, name: _name, ...user } = (await raw.getManagementUser({ userId })).body;
    await raw.updateManagementUser({ userId, body: { ...user, ...(body as { password: string }) } });
  },
  [`GET ${USER}/tokens`]: ({ raw }, { ids: [, userId = ''] }) => bodyOf(raw.listTokens({ userId })),
  [`POST ${USER}/tokens`]: ({ raw }, { ids: [, userId = ''], body }) =>
    bodyOf(raw.createToken({ userId, body: body as never })),
  [`DELETE ${USER}/tokens/([^/]+)`]: ({ raw }, { ids: [, userId = '', tokenId = ''] }) =>
    bodyOf(raw.revokeToken({ userId, tokenId })),
  'GET /organizations/([^/]+)': async ({ raw }, { ids: [name] }) => {
    const { singleSignOn } = (await raw.getSignInMethods({})).body;
    return { name, singleSignOn: singleSignOn ? {} : null };
  },
  'GET /organizations/([^/]+)/sharedUsers': ({ raw }, { query }) =>
    list(query, (page) => raw.listSharedUsers(page).then(({ body }) => body)),
  'POST /organizations/([^/]+)/sharedUsers': ({ raw }, { body }) =>
    bodyOf(raw.createSharedUser({ body: body as never })),
  [`GET ${SHARED_USER}`]: ({ raw }, { ids: [, sharedUserId = ''] }) => bodyOf(raw.getSharedUser({ sharedUserId })),
  [`PUT ${SHARED_USER}`]: ({ raw }, { ids: [, sharedUserId = ''], body }) =>
    bodyOf(raw.updateSharedUser({ sharedUserId, body: body as never })),
  [`DELETE ${SHARED_USER}`]: ({ raw }, { ids: [, sharedUserId = ''] }) =>
    bodyOf(raw.deleteSharedUser({ sharedUserId })),
  [`PUT ${SHARED_USER}/password`]: async ({ raw }, { ids: [, sharedUserId = ''], body }) => {
    const { email, disabled } = (await raw.getSharedUser({ sharedUserId })).body;
    await raw.updateSharedUser({ sharedUserId, body: { email, disabled, ...(body as { password: string }) } });
  },
};

const bodyOf = async (reply: Promise<{ readonly body: unknown }>): Promise<unknown> => (await reply).body;

const PAGE = 100;

/** The interface searches in all members at once, so that what has to be in a name or an address is picked out here. */
async function list<T extends Person>(
  query: URLSearchParams,
  read: (page: Page) => Promise<readonly T[]>,
): Promise<readonly T[]> {
  const skip = Number(query.get('skip') ?? 0);
  const limit = Number(query.get('limit') ?? PAGE);
  const members = (['name', 'email'] as const).filter((member) => query.has(member));
  const search = query.get('search') ?? query.get('name') ?? query.get('email') ?? '';
  const searching = search === '' ? {} : { search };
  if (members.length === 0) return read({ ...searching, skip, limit });
  const found: T[] = [];
  for (let from = 0; ; from += PAGE) {
    const page = await read({ ...searching, skip: from, limit: PAGE });
    const isWanted = (one: T) =>
      members.every((member) => foldText(one[member]).includes(foldText(query.get(member) ?? '')));
    found.push(...page.filter(isWanted));
    if (page.length < PAGE || found.length >= skip + limit) return found.slice(skip, skip + limit);
  }
}

class Manager {
  readonly #session: UserSession;

  constructor(session: UserSession) {
    this.#session = session;
  }

  async send(method: string, path: string, body: unknown): Promise<unknown> {
    const { pathname, searchParams: query } = new URL(path, 'http://operator');
    for (const [pattern, run] of Object.entries(ROUTES)) {
      const found = new RegExp(`^${pattern}$`).exec(`${method} ${pathname}`);
      if (found === null) continue;
      const ids = found.slice(1).map(decodeURIComponent);
      await this.#requireOwn(pathname, ids[0]);
      try {
        return await run(this.#session, { ids, query, body });
      } catch (error) {
        throw userFailure(error, this.#session.login);
      }
    }
    throw operatorOnly();
  }

  async #requireOwn(pathname: string, id: string | undefined): Promise<void> {
    const { applicationId, source } = this.#session.login;
    if (!pathname.startsWith('/applications/') || id === applicationId) return;
    throw new CommandFailure(`There is no application ${id} in ${source}; it is for ${applicationId}.`, {
      exit: 'notFound',
    });
  }
}
