// What somebody pastes who looks for their application: its ID, or any link into the console, as people get them.

export type Destination =
  | { readonly kind: 'application'; readonly application: string }
  /** A page of this console, such as that of a record. */
  | { readonly kind: 'page'; readonly path: string };

const ID = /(?:^|[/=])(p[0-9a-z]{26})(?=$|[/?#&\s])/;

/** Undefined for nothing. A text that is neither is taken for an ID, which the sign-in page then refuses with the reason. */
export function destinationOf(pasted: string, origin: string): Destination | undefined {
  const text = pasted.trim();
  if (text === '') return undefined;
  const link = URL.canParse(text) ? new URL(text) : undefined;
  if (link?.origin === origin && link.pathname.startsWith('/console/')) {
    return { kind: 'page', path: link.pathname + link.search + link.hash };
  }
  return { kind: 'application', application: ID.exec(text)?.[1] ?? text };
}
