// Which push services browsers may name. Their addresses come from whoever registers a device, and the server sends to
// them: without a list anybody could make it call machines that only it can reach.

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

  /** The address as it is to be used, and whose it is; undefined when it is not one of a trusted service. */
  trusted(endpoint: string): { readonly url: URL; readonly service: string } | undefined {
    // What parsers leave out or read in several ways is in no address that a service gave out.
    if (!/^https?:\/\/[^\s\\@\p{Cc}]+$/u.test(endpoint) || !URL.canParse(endpoint)) return undefined;
    const url = new URL(endpoint);
    if (url.username !== '' || url.password !== '' || url.hash !== '') return undefined;
    const service = this.#serviceOf(url);
    return service === undefined ? undefined : { url, service };
  }

  /** The entry that fits: all hosts below a `*.` are one service, which fails and recovers as one. */
  #serviceOf({ origin, protocol, port, hostname }: URL): string | undefined {
    if (this.#origins.has(origin)) return origin;
    if (protocol !== 'https:' || port !== '') return undefined;
    if (this.#hosts.has(hostname)) return hostname;
    const suffix = this.#suffixes.find((one) => hostname.endsWith(one));
    return suffix && `*${suffix}`;
  }
}
