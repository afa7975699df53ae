// What a session must have been opened with to count: the epoch of its account (store/people/accounts), and that of the way in
// which people of the organization sign in.

/** `account`: the epoch of the account. */
export const sessionEpoch = ({ signOnEpoch }: { readonly signOnEpoch: number }, account: string): string =>
  `${account} ${signOnEpoch}`;
