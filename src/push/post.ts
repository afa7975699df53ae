// POST requests to push services: connections are kept alive, redirects are not followed, and replies are read up to a bound.

import http from 'node:http';
import https from 'node:https';

const REPLY_BYTES_MAX = 16 * 1024;
const SOCKETS_MAX = 16;

export interface Post {
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string | Uint8Array;
  readonly signal: AbortSignal;
}

export interface PostReply {
  readonly status: number;
  readonly retryAfter: string | undefined;
  readonly text: string;
}

export class Poster {
  readonly #plain = new http.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });
  readonly #secure = new https.Agent({ keepAlive: true, maxSockets: SOCKETS_MAX });

  post(url: URL, { headers, body, signal }: Post): Promise<PostReply> {
    return new Promise((resolve, reject) => {
      const options = { method: 'POST', headers: { ...headers, 'content-length': Buffer.byteLength(body) }, signal };
      const request =
        url.protocol === 'https:'
          ? https.request(url, { ...options, agent: this.#secure })
          : http.request(url, { ...options, agent: this.#plain });
      request.on('error', reject);
      request.on('response', (response) => {
        const chunks: Buffer[] = [];
        let bytes = 0;
        const done = () => {
          const { statusCode = 0, headers } = response;
          const text = Buffer.concat(chunks).toString('utf8');
          resolve({ status: statusCode, retryAfter: headers['retry-after'], text });
        };
        response.on('error', reject);
        response.on('data', (chunk: Buffer) => {
          chunks.push(chunk.subarray(0, REPLY_BYTES_MAX - bytes));
          bytes += chunk.length;
          if (bytes > REPLY_BYTES_MAX) {
            // The status and the beginning of the text are enough.
            done();
            request.destroy();
          }
        });
        response.on('end', done);
      });
      request.end(body);
    });
  }

  close(): void {
    this.#plain.destroy();
    this.#secure.destroy();
  }
}
