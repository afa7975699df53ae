// A request as handlers see it: the message, the parameters of its path, and the client's address, host and protocol as
// trusted proxies report them.

import type { IncomingHttpHeaders, IncomingMessage } from 'node:http';
import proxyAddress from '@fastify/proxy-addr';
import { canonicalAddress } from './client-address.ts';

/** Whether a connection from this address is a proxy's, whose X-Forwarded-… headers count. */
export type TrustProxy = (address: string, hop: number) => boolean;

/** Undefined trusts no proxy: the client is the other end of the connection, whatever the headers say. */
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

  /** The client's address in its canonical spelling. If a proxy forwards something else, the proxy's own address. */
  get address(): string {
    const { remoteAddress } = this.raw.socket;
    if (this.#trustProxy === undefined) return canonicalAddress(remoteAddress) ?? '';
    return canonicalAddress(proxyAddress(this.raw, this.#trustProxy)) ?? canonicalAddress(remoteAddress) ?? '';
  }

  /** Empty if the client sent none. */
  get host(): string {
    return this.#forwarded('x-forwarded-host') ?? this.headers.host ?? '';
  }

  get protocol(): string {
    return this.#forwarded('x-forwarded-proto') ?? 'http';
  }

  /** Of several values the last one counts: the proxy that is connected to this server added it. */
  #forwarded(name: 'x-forwarded-host' | 'x-forwarded-proto'): string | undefined {
    const value = this.headers[name];
    if (!value || this.#trustProxy?.(this.raw.socket.remoteAddress ?? '', 0) !== true) return undefined;
    return String(value).split(',').at(-1)?.trim();
  }
}
