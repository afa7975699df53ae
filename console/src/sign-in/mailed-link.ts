// The link that is mailed for a new password. Its token follows the #, which browsers never send to a server.

export interface MailedLink {
  readonly application: string;
  readonly token: string;
}

/** The link's content, which is removed from the address, so that it appears neither in the history nor on the screen. */
export function takeMailedLink(): MailedLink {
  const parameters = new URLSearchParams(location.hash.slice(1));
  if (parameters.has('token')) history.replaceState(null, '', location.pathname);
  return { application: parameters.get('application') ?? '', token: parameters.get('token') ?? '' };
}
