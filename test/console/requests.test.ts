// The requests that the console shows: which operation of the client each is, and that every language sends exactly what
// the page sent, whatever stands in it.

import assert from 'node:assert/strict';
import { execFileSync, spawnSync } from 'node:child_process';
import { describe, it } from 'node:test';
import { OPERATIONS, type Operation, type OperationName } from '../../client/src/operations.ts';
import { rawOperations } from '../../client/src/raw.ts';
import { Transport } from '../../client/src/transport.ts';
import { latestChanges, noteRequest, type SentRequest } from '../../console/src/api/sent-requests.ts';
import { callOf } from '../../console/src/requests/code/call.ts';
import { curl } from '../../console/src/requests/code/curl.ts';
import { javascript, withClient } from '../../console/src/requests/code/javascript.ts';
import { python } from '../../console/src/requests/code/python.ts';
import { operationOf } from '../../console/src/requests/operation-of.ts';

const APPLICATION = 'p0000000000000000000000000';
const ORIGIN = 'https://records.example.com';

const HOSTILE = [
  `it's "quoted" \\ and \\'escaped\\' \`backticks\` $(touch x) \${TOKEN} !! %s`,
  '@/etc/passwd',
  '=1+1&limit=2;# <img src=x onerror=alert(1)>',
  'line\nline\r\n\ttab \u202eright to left\u2028日本語 👩‍🚀',
];

/** What the client sends for an operation, as the page notes it. */
async function sentBy(name: OperationName, input: object): Promise<SentRequest> {
  let sent: SentRequest | undefined;
  const transport = new Transport({
    url: ORIGIN,
    application: APPLICATION,
    fetch: async (url, init = {}) => {
      const { method = '', body } = init;
      const json = typeof body === 'string' ? { json: body } : ({ notKept: 'file' } as const);
      sent = {
        method,
        url: String(url),
        headers: Object.fromEntries(new Headers(init.headers)),
        body: body === undefined ? undefined : json,
      };
      return new Response('{}', { status: 200 });
    },
  });
  const operations = rawOperations(transport) as unknown as Record<string, (input: object) => Promise<unknown>>;
  await operations[name]?.(input);
  assert.ok(sent !== undefined);
  return sent;
}

interface Heard {
  readonly method: string;
  readonly url: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: unknown;
}

/** As any client may send it: names of headers in any case, queries in any notation. */
const heard = ({ method, url, headers, body }: Heard) => ({
  method,
  path: new URL(url).pathname,
  query: Object.fromEntries(new URL(url).searchParams),
  headers: Object.fromEntries(
    Object.entries(headers)
      .map(([name, text]) => [name.toLowerCase(), text])
      .sort(),
  ),
  body,
});

const wanted = ({ method, url, headers, body }: SentRequest) => {
  const { 'idempotency-key': _, ...kept } = headers;
  return heard({
    method,
    url,
    headers: { authorization: 'Bearer secret', ...kept },
    body: body !== undefined && 'json' in body ? JSON.parse(body.json) : undefined,
  });
};

async function hostileRequests(): Promise<readonly SentRequest[]> {
  const sent: SentRequest[] = [];
  for (const text of HOSTILE) {
    sent.push(await sentBy('listRecords', { collectionId: text, search: text, timezone: 'UTC', limit: 3 }));
    const body = { values: { [text]: { type: 'String', value: text, more: [true, null, 1.5, { __proto__x: text }] } } };
    sent.push(await sentBy('updateRecord', { collectionId: 'a', recordId: text, ifMatch: '"x"', body }));
    sent.push(await sentBy('deleteRecords', { collectionId: 'a', search: text }));
    sent.push(await sentBy('createRecords', { collectionId: 'a', body: [{ [text]: text }] }));
  }
  sent.push(await sentBy('getApplication', {}));
  return sent;
}

describe('a request that the console shows', () => {
  it('is the operation of the client that sent it, with the same input', async () => {
    for (const [name, operation] of Object.entries(OPERATIONS) as [OperationName, Operation][]) {
      const { path, query = [], headers = {} } = operation;
      const members = [...[...path.matchAll(/\{(\w+)\}/g)].map(([, member = '']) => member), ...query];
      const texts = Object.fromEntries(members.map((member) => [member, 'a/b?ü']));
      const numbers = Object.fromEntries(
        members.filter((member) => /limit|skip/.test(member)).map((each) => [each, 5]),
      );
      const inHeaders = 'ifMatch' in headers ? { ifMatch: '"hash"' } : {};
      const input = { ...texts, ...numbers, ...inHeaders };
      const tus = 'tusResumable' in headers ? { tusResumable: '1.0.0' } : {};
      const found = operationOf(await sentBy(name, { ...input, body: {} }), APPLICATION);
      assert.deepEqual({ name: found?.name, input: found?.input }, { name, input: { ...input, ...tus } });
    }
    const { method, headers } = await sentBy('getApplication', {});
    assert.equal(operationOf({ method, headers, url: `${ORIGIN}/v1/${APPLICATION}/nothing` }, APPLICATION), undefined);
    assert.equal(operationOf({ method, headers, url: `${ORIGIN}/v1/other` }, APPLICATION), undefined);
  });

  it('is the same as a command of the shell', async () => {
    for (const sent of await hostileRequests()) {
      const stub = 'curl() { for each in "$@"; do printf "%s\\0" "$each"; done; }\n';
      const output = execFileSync('sh', ['-c', stub + curl(callOf(sent, APPLICATION))], {
        env: { ...process.env, TOKEN: 'secret' },
        encoding: 'utf8',
      });
      const given = output.split('\0').slice(0, -1);
      const after = (option: string) => given.flatMap((each, index) => (given[index - 1] === option ? [each] : []));
      const url = new URL(given.find((each) => each.startsWith(ORIGIN)) ?? '');
      for (const each of after('--data-urlencode')) {
        const end = each.indexOf('=');
        url.searchParams.append(each.slice(0, end), each.slice(end + 1));
      }
      const body = after('--data-raw')[0];
      const headers = after('-H').map((each) => /^([^:]*): (.*)$/s.exec(each)?.slice(1) ?? []);
      assert.deepEqual(
        heard({
          method: after('-X')[0] ?? 'GET',
          url: url.href,
          headers: Object.fromEntries(headers),
          body: body === undefined ? undefined : JSON.parse(body),
        }),
        wanted(sent),
      );
    }
  });

  it('is the same in JavaScript, with fetch and with the client', async () => {
    const run = async (code: string, names: Readonly<Record<string, unknown>>) => {
      const program = code.replace("import { createClient } from 'cartulary-client';", '');
      const AsyncFunction = (async () => undefined).constructor as new (
        ...parts: string[]
      ) => (...given: unknown[]) => Promise<void>;
      await new AsyncFunction(...Object.keys(names), program)(...Object.values(names));
    };
    const surroundings = { process: { env: { TOKEN: 'secret' } }, console: { log: () => undefined } };
    for (const sent of await hostileRequests()) {
      const call = callOf(sent, APPLICATION);
      const seen: Heard[] = [];
      const fetch = async (url: string, { method = 'GET', headers, body }: RequestInit) => {
        seen.push({
          method,
          url,
          headers: headers as Record<string, string>,
          body: body === undefined ? undefined : JSON.parse(String(body)),
        });
        return { ok: true, json: async () => ({}) };
      };
      await run(javascript(call), { ...surroundings, fetch });
      assert.deepEqual(seen.map(heard), [wanted(sent)]);
      const calls: object[] = [];
      const raw = new Proxy({}, { get: (_, name) => async (input: object) => calls.push({ name, input }) && {} });
      await run(withClient(call) ?? '', { ...surroundings, createClient: () => ({ raw }) });
      const body = sent.body !== undefined && 'json' in sent.body ? { body: JSON.parse(sent.body.json) } : {};
      assert.deepEqual(calls, [{ name: call.operation?.name, input: { ...call.operation?.input, ...body } }]);
    }
  });

  const hasPython = spawnSync('python3', ['--version']).status === 0;
  it('is the same in Python', { skip: hasPython ? false : 'this machine has no python3' }, async () => {
    const sent = await hostileRequests();
    const programs = sent.map((each) => python(callOf(each, APPLICATION)));
    const runner = `
import io, json, sys, urllib.request
class Reply(io.BytesIO):
    status = 200
heard = []
def urlopen(request):
    body = None if request.data is None else json.loads(request.data)
    heard.append({"method": request.get_method(), "url": request.full_url, "headers": dict(request.header_items()), "body": body})
    return Reply(b"{}")
urllib.request.urlopen = urlopen
for program in json.loads(sys.stdin.read()):
    exec(program, {"print": lambda *words: None})
print(json.dumps(heard))
`;
    const output = execFileSync('python3', ['-c', runner], {
      input: JSON.stringify(programs),
      env: { ...process.env, TOKEN: 'secret', PYTHONUTF8: '1' },
      encoding: 'utf8',
    });
    const all = (JSON.parse(output) as Heard[]).map((each) => heard({ ...each, body: each.body ?? undefined }));
    assert.deepEqual(all, sent.map(wanted));
  });

  it('is kept without credentials and passwords, and without what is too long to read', () => {
    const note = (body: NonNullable<RequestInit['body']>) => {
      noteRequest(`${ORIGIN}/v1/x`, { method: 'PUT', headers: { authorization: 'Bearer secret', accept: 'a' }, body });
      return latestChanges()[0];
    };
    const told = {
      currentPassword: 'one"two',
      name: '"password":"no"',
      deep: { clientSecret: 'three', token: 'four' },
    };
    assert.deepEqual(note(JSON.stringify(told)), {
      method: 'PUT',
      url: `${ORIGIN}/v1/x`,
      headers: { accept: 'a' },
      body: {
        json: '{"currentPassword":"…","name":"\\"password\\":\\"no\\"","deep":{"clientSecret":"…","token":"…"}}',
      },
    });
    assert.deepEqual(note(JSON.stringify('x'.repeat(30_000)))?.body, { notKept: 'json' });
    assert.deepEqual(note(new Uint8Array(3))?.body, { notKept: 'file' });
    for (let each = 0; each < 30; each += 1) note('{}');
    assert.equal(latestChanges().length, 10);
  });
});
