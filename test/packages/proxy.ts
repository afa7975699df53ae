// Caddy and nginx as deploy/ sets them up, before nodes of a test, and requests to them over HTTP/2.

import { type ChildProcess, execFileSync, spawn } from 'node:child_process';
import { once } from 'node:events';
import { mkdirSync, readFileSync } from 'node:fs';
import { writeFile } from 'node:fs/promises';
import { type ClientHttp2Session, connect } from 'node:http2';
import { join } from 'node:path';
import { buffer } from 'node:stream/consumers';
import { until } from '../support/until.ts';
import { configuration, freePort, replaced } from './tools.ts';

export interface FrontProxy {
  readonly child: ChildProcess;
  readonly port: number;
  /** The certificate that its own is checked with. */
  certificate(): string;
}

export async function startCaddy(program: string, folder: string, nodes: readonly string[]): Promise<FrontProxy> {
  const port = await freePort();
  const file = join(folder, 'Caddyfile');
  // Nothing is added to the machine's certificates, and port 80 is not taken.
  const text = replaced(configuration('caddy/Caddyfile'), [
    ['admin off', 'admin off\n\tauto_https disable_redirects\n\tskip_install_trust'],
  ]);
  await writeFile(file, text);
  const env = {
    PATH: process.env.PATH ?? '',
    HOME: folder,
    XDG_DATA_HOME: folder,
    XDG_CONFIG_HOME: folder,
    CARTULARY_SITE: `localhost:${port}`,
    CARTULARY_NODES: nodes.join(' '),
  };
  const child = spawn(program, ['run', '--config', file, '--adapter', 'caddyfile'], { env, stdio: 'ignore' });
  const authority = join(folder, 'caddy/pki/authorities/local/root.crt');
  return { child, port, certificate: () => readFileSync(authority, 'utf8') };
}

export async function startNginx(program: string, folder: string, nodes: readonly string[]): Promise<FrontProxy> {
  const [port, plain] = [await freePort(), await freePort()];
  const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
  const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '1'];
  const out = ['-keyout', key, '-out', certificate];
  execFileSync('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...out], { stdio: 'ignore' });
  const text = replaced(configuration('nginx/cartulary.conf'), [
    ['127.0.0.1:8081', nodes[0] ?? ''],
    ['127.0.0.1:8082', nodes[1] ?? ''],
    ['127.0.0.1:8083', nodes[2] ?? ''],
    ['listen 80;', `listen 127.0.0.1:${plain};`],
    ['listen 443 ', `listen 127.0.0.1:${port} `],
    ['records.example.com', 'localhost'],
    ['/etc/ssl/cartulary/fullchain.pem', certificate],
    ['/etc/ssl/cartulary/privkey.pem', key],
  ]);
  const kinds = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi'];
  const places = kinds.map((kind) => `${kind}_temp_path ${join(folder, kind)};`);
  mkdirSync(join(folder, 'logs'));
  const main = `${process.getuid?.() === 0 ? 'user root;' : ''}
daemon off;
pid ${join(folder, 'pid')};
error_log ${join(folder, 'error.log')};
events {}
http {
access_log off;
${places.join('\n')}
${text}
}`;
  const file = join(folder, 'nginx.conf');
  await writeFile(file, main);
  const child = spawn(program, ['-e', join(folder, 'error.log'), '-p', folder, '-c', file], { stdio: 'ignore' });
  return { child, port, certificate: () => readFileSync(certificate, 'utf8') };
}

export interface Exchange {
  readonly status: number;
  readonly headers: Record<string, unknown>;
  readonly body: Buffer;
}

/** One request over HTTP/2. */
export async function ask(
  session: ClientHttp2Session,
  head: Record<string, string>,
  body?: Uint8Array,
): Promise<Exchange> {
  const stream = session.request(head, { endStream: body === undefined });
  if (body !== undefined) stream.end(body);
  const [headers] = (await once(stream, 'response')) as [Record<string, unknown>];
  return { status: Number(headers[':status']), headers, body: await buffer(stream) };
}

/** Connects as soon as the proxy is there, and a node behind it. */
export async function openSession(proxy: FrontProxy): Promise<ClientHttp2Session> {
  let session: ClientHttp2Session | undefined;
  await until('the proxy to serve', async () => {
    try {
      session = connect(`https://localhost:${proxy.port}`, { ca: proxy.certificate() });
      session.on('error', () => undefined);
      await once(session, 'connect');
      return (await ask(session, { ':path': '/readyz' })).status === 200;
    } catch {
      return false;
    }
  });
  return session as ClientHttp2Session;
}

export async function endProxy({ child }: FrontProxy): Promise<void> {
  if (child.exitCode !== null) return;
  const gone = once(child, 'exit');
  child.kill('SIGTERM');
  await gone;
}
