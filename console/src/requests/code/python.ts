// A request as a program for Python 3, with nothing but its standard library.

import { type Call, fileOf, hasReply } from './call.ts';
import { literal, PYTHON } from './literal.ts';

export function python(call: Call): string {
  const { method, address, query, headers, body } = call;
  const file = fileOf(body);
  const json = body !== undefined && 'json' in body ? body.json : undefined;
  const url = query.length === 0 ? literal(address, PYTHON) : `${literal(`${address}?`, PYTHON)} + urlencode(query)`;
  const options = [
    url,
    ...(method === 'GET' ? [] : [`method=${literal(method, PYTHON)}`]),
    headers.length === 0
      ? 'headers={"Authorization": "Bearer " + os.environ["TOKEN"]}'
      : `headers={\n        "Authorization": "Bearer " + os.environ["TOKEN"],\n${headers
          .map(([name, text]) => `        ${literal(name, PYTHON)}: ${literal(text, PYTHON)},\n`)
          .join('')}    }`,
    ...(json === undefined ? [] : ['data=json.dumps(body).encode()']),
    ...(file === undefined ? [] : [`data=open(${literal(file, PYTHON)}, "rb").read()`]),
  ];
  return [
    json !== undefined || hasReply(call) ? 'import json\n' : '',
    'import os\n',
    query.length === 0 ? '' : 'from urllib.parse import urlencode\n',
    'from urllib.request import Request, urlopen\n\n',
    query.length === 0 ? '' : `query = ${literal(Object.fromEntries(query), PYTHON)}\n`,
    json === undefined ? '' : `body = ${literal(JSON.parse(json), PYTHON)}\n`,
    `request = Request(\n${options.map((option) => `    ${option},\n`).join('')})\n`,
    'with urlopen(request) as reply:\n',
    hasReply(call) ? '    print(json.load(reply))\n' : '    print(reply.status)\n',
  ].join('');
}
