// The OpenAPI document: of an application, for those who are signed in to it; or the general one, for everybody.

export interface OpenApiDocument {
  readonly info: { readonly title: string };
  readonly servers: readonly { readonly url: string }[];
}

export type Loaded =
  | { readonly state: 'loaded'; readonly document: OpenApiDocument }
  | { readonly state: 'notSignedIn' | 'noAccess' | 'noApplication' | 'failed' };

const REFUSED: Readonly<Record<number, 'notSignedIn' | 'noAccess' | 'noApplication'>> = {
  400: 'noApplication',
  401: 'notSignedIn',
  403: 'noAccess',
  404: 'noApplication',
};

export async function loadDocument(application: string | undefined): Promise<Loaded> {
  const path = application === undefined ? '' : `/${encodeURIComponent(application)}`;
  try {
    const reply = await fetch(`/v1${path}/openapi.json`);
    if (!reply.ok) return { state: REFUSED[reply.status] ?? 'failed' };
    const document = (await reply.json()) as OpenApiDocument;
    // The page may have come by another name of the server, which the session belongs to.
    return { state: 'loaded', document: { ...document, servers: [{ url: `${location.origin}/v1` }] } };
  } catch {
    return { state: 'failed' };
  }
}
