// The link that is mailed for a new password. Its token follows the #, which browsers never send to a server.

export interface MailedLink {
  readonly application: string;
  readonly token: string;
  /** The e-mail address of the account; empty in links of earlier versions. */
  readonly user: string;
}

/** The link's content, which is removed from the address, so that it appears neither in the history nor on the screen. */
export function takeMailedLink(): MailedLink {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (parameters.has('token')) history.replaceState(null, '', location.pathname);
  const part = (name: string) => parameters.get(name) ?? '';
  return { application: part('application'), token: part('token'), user: part('user') };
}
