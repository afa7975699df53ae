// A real Chromium, and a server of the test's own on the loopback: it serves pages that embed things, the dangerous files
// without any protection, and notes everything that a file does when it is not inert.

import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { setTimeout as sleep } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { type Browser, type BrowserContext, chromium } from 'playwright-core';
import { closedAtLast } from '../support/left-open.ts';
import { ROOT } from '../tidy/tree.ts';
import { type DangerousFile, dangerousFiles, type Embedding, type Way } from './dangerous-files.ts';

interface BrowserScript {
  findChromium(env: NodeJS.ProcessEnv): string | undefined;
  readonly MISSING: string;
}

// The scripts are plain JavaScript beside the sources: what prepares the machine also says what is on it.
const script: BrowserScript = await import(pathToFileURL(join(ROOT, 'scripts', 'browser.mjs')).href);
const program = script.findChromium(process.env);

/** For `skip`: why there is no browser, and what to do about it. */
export const WITHOUT_BROWSER = program === undefined ? script.MISSING : false;

/** A name that leads to the loopback in the test's browser alone. */
const INSECURE_HOST = 'records.example';

/** The same server by a plain http address that browsers do not trust: they send no Sec-Fetch headers there, and ignore Clear-Site-Data. */
export const insecureAddress = (address: string): string => `http://${INSECURE_HOST}:${new URL(address).port}`;

/** `backForwardCache`: pages are kept whole for going back, as in everybody's browser; Playwright turns that off. */
export function launch({ backForwardCache = false } = {}): Promise<Browser> {
  if (program === undefined) throw new Error(script.MISSING);
  const args = [`--host-resolver-rules=MAP ${INSECURE_HOST} 127.0.0.1`];
  // Chromium's own sandbox cannot be had as root.
  if (process.getuid?.() === 0) args.push('--no-sandbox');
  const ignoreDefaultArgs = backForwardCache ? ['--disable-back-forward-cache'] : [];
  return chromium.launch({ executablePath: program, args, ignoreDefaultArgs });
}

let shared: Promise<Browser> | undefined;

/** One for all test files of the process: to start it takes as long as several tests. */
export async function sharedBrowser(): Promise<Browser> {
  if (!(await shared)?.isConnected()) {
    shared = launch();
    const browser = await shared;
    closedAtLast(() => browser.close());
  }
  return (await shared) as Browser;
}

/** Markup by which a page takes in an address. */
const EMBED: Record<Embedding, (url: string) => string> = {
  script: (url) => `<script src="${url}"></script>`,
  module: (url) => `<script type="module">import('${url}').catch(() => undefined)</script>`,
  // Not a worker of that address: another origin may not even try.
  worker: (url) =>
    `<script>new Worker(URL.createObjectURL(new Blob(["importScripts('${url}')"]))).onerror = () => undefined</script>`,
  stylesheet: (url) => `<link rel="stylesheet" href="${url}">`,
  image: (url) => `<img src="${url}">`,
  iframe: (url) => `<iframe src="${url}"></iframe>`,
  object: (url) => `<object data="${url}"></object>`,
  embed: (url) => `<embed src="${url}">`,
};
export const EMBEDDINGS = Object.keys(EMBED) as Embedding[];

export const pageWith = (embedding: Embedding, urls: readonly string[]): string =>
  `<!doctype html><meta charset="utf-8"><title>page</title><body>${urls.map(EMBED[embedding]).join('\n')}</body>`;

/** What an unprotected file leaves: it tells how the file was taken in, so that all ways can be looked at together. */
export const tracedAs = ({ name }: DangerousFile, way: Way): string => `${name}--${way}`;

export interface Bystander {
  readonly files: readonly DangerousFile[];
  /** Where a file is served without protection, and traced as `tracedAs` says. */
  unprotected(file: DangerousFile, way: Way): string;
  /** The address of a page, of this server's origin. */
  page(html: string): string;
  /** Every name that was heard of since the last call, in order. */
  takeTraces(): string[];
  /** Waits until the traces hold all of these names, and says which they still lack. */
  missing(names: readonly string[], withinMs: number): Promise<string[]>;
  /** Lets everything in the context leave traces: calls, words on the console, dialogs, titles. */
  watch(context: BrowserContext): Promise<void>;
  close(): Promise<void>;
}

export async function startBystander(): Promise<Bystander> {
  const traces = new Set<string>();
  const pages: string[] = [];
  const server = createServer((request, response) => serve(request, response));
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve));
  const address = `http://127.0.0.1:${(server.address() as AddressInfo).port}`;
  const files = dangerousFiles(`${address}/trace`);

  function serve(request: IncomingMessage, response: ServerResponse): void {
    const [, folder, name = '', way = ''] = (request.url ?? '').split('/');
    const page = pages[Number(name)];
    if (folder === 'trace') {
      const [traced = ''] = name.split('.');
      traces.add(traced);
      response.setHeader('content-type', 'text/javascript').end(`globalThis.leaveTrace?.('${traced}')`);
    } else if (folder === 'file') {
      const file = dangerousFiles(`${address}/trace`, `--${way}`).find((one) => one.name === name)!;
      response.setHeader('content-type', file.contentType).end(file.bytes);
    } else if (folder === 'page' && page !== undefined) {
      response.setHeader('content-type', 'text/html').end(page);
    } else {
      response.writeHead(404).end();
    }
  }

  /** Names are in no other text that a browser shows. */
  const notice = (text: string) => {
    const name = /^ran ([\w-]+)$/.exec(text)?.[1];
    if (name !== undefined) traces.add(name);
  };

  return {
    files,
    unprotected: (file, way) => `${address}/file/${file.name}/${way}`,
    page: (html) => `${address}/page/${pages.push(html) - 1}`,
    takeTraces: () => {
      const taken = [...traces].sort();
      traces.clear();
      return taken;
    },
    missing: async (names, withinMs) => {
      const lacking = () => names.filter((name) => !traces.has(name));
      for (const end = performance.now() + withinMs; lacking().length > 0 && performance.now() < end; ) await sleep(20);
      return lacking();
    },
    watch: async (context) => {
      // There in every frame, before anything of it runs, and whatever its policy says about the network.
      await context.exposeBinding('leaveTrace', (_source, name: string) => notice(`ran ${name}`));
      context.on('console', (message) => notice(message.text()));
      context.on('dialog', (dialog) => {
        notice(dialog.message());
        dialog.dismiss().catch(() => undefined);
      });
    },
    close: async () => {
      const closed = new Promise((resolve) => server.close(resolve));
      server.closeAllConnections();
      await closed;
    },
  };
}

/** Titles of all frames, those of other origins included. */
export async function titlesIn(context: BrowserContext): Promise<string[]> {
  const frames = context.pages().flatMap((page) => page.frames());
  return Promise.all(frames.map((frame) => frame.title().catch(() => '')));
}
