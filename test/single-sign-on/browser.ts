// What a browser does in a sign-on, without its windows: follows redirects and keeps cookies by host and path.

import assert from 'node:assert/strict';
import { fetchChecked } from '../support/http-client.ts';

export interface Page {
  readonly status: number;
  readonly headers: Headers;
  readonly text: string;
  readonly address: URL;
}

interface Cookie {
  readonly value: string;
  readonly path: string;
  readonly attributes: string;
}

const HOPS_MAX = 20;

export class Browser {
  /** By name: everything here is on one host, and cookies know no ports. */
  readonly cookies = new Map<string, Cookie>();

  /** One request; redirects are the caller's matter. */
  async ask(address: string | URL, headers: Record<string, string> = {}, method = 'GET'): Promise<Page> {
    const url = new URL(address);
    const sent = [...this.cookies]
      .filter(
        ([, { path }]) => url.pathname === path || url.pathname.startsWith(path.endsWith('/') ? path : `${path}/`),
      )
      .map(([name, { value }]) => `${name}=${value}`);
    const sending = { cookie: sent.join('; '), ...headers };
    const response = await fetchChecked(url, { method, headers: sending, redirect: 'manual' });
    for (const line of response.headers.getSetCookie()) this.#keep(line);
    return { status: response.status, headers: response.headers, text: await response.text(), address: url };
  }

  /** Goes where redirects lead, up to an address at which the test wants to look: that one is not asked for. */
  async follow(address: string | URL, isEnd: (url: URL) => boolean): Promise<URL> {
    let url = new URL(address);
    for (let hop = 0; hop < HOPS_MAX; hop++) {
      if (isEnd(url)) return url;
      const { status, headers, text } = await this.ask(url);
      const location = headers.get('location');
      assert.ok(location !== null, `${url} answers ${status} ${text}`);
      url = new URL(location, url);
    }
    assert.fail(`more than ${HOPS_MAX} redirects`);
  }

  cookie(prefix: string): Cookie | undefined {
    return [...this.cookies].find(([name]) => name.startsWith(prefix))?.[1];
  }

  #keep(line: string): void {
    const [pair = '', ...attributes] = line.split('; ');
    const [name = '', value = ''] = pair.split(/=(.*)/s);
    const path = attributes.find((a) => /^path=/i.test(a))?.slice('path='.length) ?? '/';
    const gone = attributes.some((a) => /^max-age=0$/i.test(a) || /^expires=thu, 01 jan 1970/i.test(a));
    if (gone) this.cookies.delete(name);
    else this.cookies.set(name, { value, path, attributes: attributes.join('; ') });
  }
}
