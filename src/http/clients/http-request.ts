// A request as the handlers see it: the message, the parameters of its path, and who sent it according to the trusted
// proxies.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { canonicalAddress } from './client-address.ts';

/** Whether a connection from this address is a proxy's, whose X-Forwarded-… headers count. */
export type TrustProxy = (address: string, hop: number) => boolean;

/** Undefined trusts no proxy: requests come from their connection's other end, whatever the headers say. */
export const trustProxies = (addresses: readonly string[] | undefined): TrustProxy | undefined =>
  addresses && proxyAddress.compile([...addresses]);

export class HttpRequest {
  readonly id: string;
  readonly raw: IncomingMessage;
  readonly params: Readonly<Record<string, string>>;
  readonly #trustProxy: TrustProxy | undefined;

  constructor(
    id: string,
    raw: IncomingMessage,
    { params, trustProxy }: { params: Readonly<Record<string, string>>; trustProxy: TrustProxy | undefined },
  ) {
    this.id = id;
    this.raw = raw;
    this.params = params;
    this.#trustProxy = trustProxy;
  }

  get method(): string {
    return this.raw.method ?? '';
  }

  get url(): string {
    return this.raw.url ?? '';
  }

  get headers(): IncomingHttpHeaders {
    return this.raw.headers;
  }

  /** The client's address in its one spelling. A proxy may forward any text; the address is then the proxy's own. */
  get address(): string {
    const { remoteAddress } = this.raw.socket;
    if (this.#trustProxy === undefined) return canonicalAddress(remoteAddress) ?? '';
    return canonicalAddress(proxyAddress(this.raw, this.#trustProxy)) ?? canonicalAddress(remoteAddress) ?? '';
  }

  /** Empty where the client named none. */
  get host(): string {
    return this.#forwarded('x-forwarded-host') ?? this.headers.host ?? '';
  }

  get protocol(): string {
    return this.#forwarded('x-forwarded-proto') ?? 'http';
  }

  /** With several values the last one counts: it is from the proxy that is connected to us. */
  #forwarded(name: 'x-forwarded-host' | 'x-forwarded-proto'): string | undefined {
    const value = this.headers[name];
    if (!value || this.#trustProxy?.(this.raw.socket.remoteAddress ?? '', 0) !== true) return undefined;
    return String(value).split(',').at(-1)?.trim();
  }
}
