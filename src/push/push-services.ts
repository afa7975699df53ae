// The push services that a browser's subscription may name. The server sends requests to addresses that users register:
// without an allowlist they could reach hosts that only the server can reach (SSRF).

/** A host such as `fcm.googleapis.com`, `*.push.apple.com` for all below, or a whole origin such as `http://127.0.0.1:1234`. */
export class PushServices {
  readonly #hosts = new Set<string>();
  readonly #suffixes: string[] = [];
  readonly #origins = new Set<string>();

  constructor(entries: readonly string[]) {
    for (const entry of entries) {
      if (entry.includes('://')) this.#origins.add(new URL(entry).origin);
      else if (entry.startsWith('*.')) this.#suffixes.push(entry.slice(1).toLowerCase());
      else this.#hosts.add(entry.toLowerCase());
    }
  }

  /** Undefined when the address belongs to no trusted service. */
  trusted(endpoint: string): { readonly url: URL; readonly service: string } | undefined {
    // No service gives out addresses with characters that URL parsers drop or interpret differently.
    if (!/^https?:\/\/[^\s\\@\p{Cc}]+$/u.test(endpoint) || !URL.canParse(endpoint)) return undefined;
    const url = new URL(endpoint);
    if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
    const service = this.#serviceOf(url);
    return service === undefined ? undefined : { url, service };
  }

  /** The matching entry: all hosts below a `*.` count as one service, which fails and recovers as one. */
  #serviceOf({ origin, protocol, port, hostname }: URL): string | undefined {
    if (this.#origins.has(origin)) return origin;
    if (protocol !== 'https:' || port !== '') return undefined;
    if (this.#hosts.has(hostname)) return hostname;
    const suffix = this.#suffixes.find((one) => hostname.endsWith(one));
    return suffix && `*${suffix}`;
  }
}
