// Settings: their defaults, which values are refused, and the messages for those.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig, SETTINGS } from '../../src/settings/settings.ts';

function complaint(environment: Record<string, string>): string {
  try {
    readConfig(environment);
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  assert.fail(`${JSON.stringify(environment)} was accepted`);
}

describe('settings', () => {
  it('have the documented defaults', () => {
    assert.deepEqual(readConfig({}), {
      CARTULARY_PORT: 8080,
      CARTULARY_HOST: '127.0.0.1',
      CARTULARY_DATA: './data',
      CARTULARY_OPERATOR_KEY: undefined,
      DATABASE_URL: undefined,
      CARTULARY_POOLER_URL: undefined,
      CARTULARY_REPLICA_URLS: undefined,
      CARTULARY_REPLICA_LAG_SECONDS: 10,
      CARTULARY_CITUS_DIRECT: false,
      CARTULARY_ATTACHMENTS: undefined,
      CARTULARY_UNHELD_ATTACHMENT_DAYS: 7,
      CARTULARY_ANNOUNCED_UPLOAD_DAYS: 7,
      CARTULARY_ACTIVITY_LOG_DAYS: 400,
      CARTULARY_DATABASE_CONNECTIONS: 16,
      CARTULARY_REQUEST_SECONDS: 30,
      CARTULARY_WORKERS: 1,
      CARTULARY_CONNECTIONS: 10_000,
      CARTULARY_REQUESTS_AT_ONCE: 48,
      CARTULARY_DRAIN_SECONDS: 0,
      CARTULARY_PUBLIC_URL: undefined,
      CARTULARY_SMTP_URL: undefined,
      CARTULARY_MAIL_FROM: undefined,
      CARTULARY_TRUSTED_PROXIES: undefined,
      CARTULARY_ALLOWED_ORIGINS: undefined,
      CARTULARY_AUTH_FAILURES_ACCOUNT: 10,
      CARTULARY_AUTH_FAILURES_ADDRESS: 50,
      CARTULARY_PUSH_SERVICES: [
        'fcm.googleapis.com',
        'updates.push.services.mozilla.com',
        '*.push.services.mozilla.com',
        '*.push.apple.com',
        '*.notify.windows.com',
      ],
      CARTULARY_PUSH_SUBJECT: undefined,
      CARTULARY_FCM: undefined,
      CARTULARY_APNS: undefined,
      CARTULARY_METRICS_PORT: undefined,
      CARTULARY_METRICS_HOST: '127.0.0.1',
      OTEL_EXPORTER_OTLP_ENDPOINT: undefined,
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: undefined,
      OTEL_SERVICE_NAME: undefined,
      OTEL_RESOURCE_ATTRIBUTES: undefined,
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
      CARTULARY_LOG_LEVEL: undefined,
    });
  });

  it('take an empty value as none', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('want the database itself where they name a pooler', () => {
    const CARTULARY_POOLER_URL = 'postgres://someone@127.0.0.1:6432/db';
    assert.match(complaint({ CARTULARY_POOLER_URL }), /^DATABASE_URL must be set if CARTULARY_POOLER_URL is set/);
    assert.match(complaint({ CARTULARY_POOLER_URL: 'mysql://x' }), /^CARTULARY_POOLER_URL must /);
  });

  it('want a list of addresses for replicas, and the database that they follow', () => {
    const CARTULARY_REPLICA_URLS = 'postgres://someone@two/db';
    assert.match(complaint({ CARTULARY_REPLICA_URLS }), /^DATABASE_URL must be set if CARTULARY_REPLICA_URLS is set/);
    const DATABASE_URL = 'postgres://someone@one/db';
    const list = `${CARTULARY_REPLICA_URLS},three:5433/db`;
    assert.match(
      complaint({ DATABASE_URL, CARTULARY_REPLICA_URLS: list }),
      /^CARTULARY_REPLICA_URLS must be a list of addresses .*, and number 2 must begin with postgres:/,
    );
    const many = Array.from({ length: 17 }, () => CARTULARY_REPLICA_URLS).join(',');
    assert.match(complaint({ DATABASE_URL, CARTULARY_REPLICA_URLS: many }), /at most 16 addresses/);
  });

  it('are read as what they are', () => {
    const given = {
      CARTULARY_PORT: '0',
      CARTULARY_HOST: '::1',
      CARTULARY_DATA: '/srv/data',
      CARTULARY_OPERATOR_KEY: 'k'.repeat(32),
      DATABASE_URL: 'postgresql://someone:secret@host/db',
      CARTULARY_POOLER_URL: 'postgresql://someone:secret@127.0.0.1:6432/db',
      CARTULARY_REPLICA_URLS: 'postgres://someone@two/db, postgres://someone@three:5433/db',
      CARTULARY_REPLICA_LAG_SECONDS: '30',
      CARTULARY_CITUS_DIRECT: 'true',
      CARTULARY_ATTACHMENTS: '/srv/files',
      CARTULARY_UNHELD_ATTACHMENT_DAYS: '30',
      CARTULARY_ANNOUNCED_UPLOAD_DAYS: '1',
      CARTULARY_ACTIVITY_LOG_DAYS: '36500',
      CARTULARY_DATABASE_CONNECTIONS: '2',
      CARTULARY_REQUEST_SECONDS: '3600',
      CARTULARY_WORKERS: '64',
      CARTULARY_CONNECTIONS: '10',
      CARTULARY_REQUESTS_AT_ONCE: '10000',
      CARTULARY_DRAIN_SECONDS: '600',
      CARTULARY_PUBLIC_URL: 'https://records.example/below//',
      CARTULARY_SMTP_URL: 'smtps://some%40body:secret@mail.example:465',
      CARTULARY_MAIL_FROM: 'Records <records@example.com>',
      CARTULARY_TRUSTED_PROXIES: '10.0.0.0/8, ::1,192.0.2.1, 2001:db8::/32',
      CARTULARY_ALLOWED_ORIGINS: 'https://app.example.com, http://localhost:5173',
      CARTULARY_AUTH_FAILURES_ACCOUNT: '1',
      CARTULARY_AUTH_FAILURES_ADDRESS: '1000000',
      CARTULARY_PUSH_SERVICES: 'push.example.com, *.example.org,http://127.0.0.1:1234',
      CARTULARY_PUSH_SUBJECT: 'mailto:operator@example.com',
      CARTULARY_FCM: '/srv/fcm.json',
      CARTULARY_APNS: '/srv/apns.json',
      CARTULARY_METRICS_PORT: '9464',
      CARTULARY_METRICS_HOST: '0.0.0.0',
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318/',
      OTEL_EXPORTER_OTLP_TRACES_ENDPOINT: 'https://collector.example/traces',
      OTEL_SERVICE_NAME: 'records',
      OTEL_RESOURCE_ATTRIBUTES: 'deployment.environment.name=staging, host.name = a%2Cb%3D,',
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      CARTULARY_LOG_LEVEL: 'silent',
    };
    assert.deepEqual(readConfig(given), {
      ...given,
      CARTULARY_PUSH_SERVICES: ['push.example.com', '*.example.org', 'http://127.0.0.1:1234'],
      CARTULARY_PORT: 0,
      CARTULARY_REPLICA_URLS: ['postgres://someone@two/db', 'postgres://someone@three:5433/db'],
      CARTULARY_REPLICA_LAG_SECONDS: 30,
      CARTULARY_CITUS_DIRECT: true,
      CARTULARY_ATTACHMENTS: { kind: 'disk', folder: '/srv/files' },
      CARTULARY_UNHELD_ATTACHMENT_DAYS: 30,
      CARTULARY_ANNOUNCED_UPLOAD_DAYS: 1,
      CARTULARY_ACTIVITY_LOG_DAYS: 36_500,
      CARTULARY_DATABASE_CONNECTIONS: 2,
      CARTULARY_REQUEST_SECONDS: 3600,
      CARTULARY_WORKERS: 64,
      CARTULARY_CONNECTIONS: 10,
      CARTULARY_REQUESTS_AT_ONCE: 10_000,
      CARTULARY_DRAIN_SECONDS: 600,
      CARTULARY_PUBLIC_URL: 'https://records.example/below',
      CARTULARY_TRUSTED_PROXIES: ['10.0.0.0/8', '::1', '192.0.2.1', '2001:db8::/32'],
      CARTULARY_ALLOWED_ORIGINS: ['https://app.example.com', 'http://localhost:5173'],
      CARTULARY_AUTH_FAILURES_ACCOUNT: 1,
      CARTULARY_AUTH_FAILURES_ADDRESS: 1_000_000,
      CARTULARY_METRICS_PORT: 9464,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
      OTEL_RESOURCE_ATTRIBUTES: { 'deployment.environment.name': 'staging', 'host.name': 'a,b=' },
      OTEL_TRACES_SAMPLER_ARG: 0.01,
    });
    for (const wrong of ['name', '=value', 'a=%zz']) {
      assert.match(complaint({ OTEL_RESOURCE_ATTRIBUTES: wrong }), /^OTEL_RESOURCE_ATTRIBUTES must be a list/);
    }
  });

  it('of mail are right, and belong together', () => {
    const from = { CARTULARY_MAIL_FROM: 'a@example.com', CARTULARY_PUBLIC_URL: 'https://records.example' };
    const wrong = [
      'mail.example',
      'http://mail.example',
      'smtp://',
      'smtp://h/path',
      'smtp://u:geheim@h?x=1',
      'smtp://u:ge%heim@h',
      'smtp://%ff@h',
    ];
    for (const url of [...wrong, 'smtps://h?tls=never', 'smtp://h?tls=always', 'smtp://h?tls=never&x=1']) {
      const text = complaint({ ...from, CARTULARY_SMTP_URL: url });
      assert.match(text, /^CARTULARY_SMTP_URL must be/);
      assert.doesNotMatch(text, /geheim/);
    }
    for (const address of ['x', 'a@b, c@d', 'a@b\r\nBcc: c@d', '<a@b']) {
      assert.match(complaint({ CARTULARY_MAIL_FROM: address }), /^CARTULARY_MAIL_FROM must be/);
    }
    const CARTULARY_SMTP_URL = 'smtp://mail.example?tls=never';
    const both = complaint({ CARTULARY_SMTP_URL });
    assert.match(both, /^CARTULARY_MAIL_FROM must be set/);
    assert.match(both, /^CARTULARY_PUBLIC_URL must be set/m);
    const unlinked = complaint({ CARTULARY_SMTP_URL, CARTULARY_MAIL_FROM: 'a@example.com' });
    assert.match(unlinked, /^CARTULARY_PUBLIC_URL must be set/, 'links would lead to this machine');
    assert.deepEqual(
      readConfig({ ...from, CARTULARY_SMTP_URL: 'smtp://mail.example:25' }).CARTULARY_MAIL_FROM,
      from.CARTULARY_MAIL_FROM,
    );
  });

  const places: Record<string, object> = {
    'file:///srv/my%20files': { kind: 'disk', folder: '/srv/my files' },
    's3://Files': { kind: 's3', bucket: 'Files', prefix: '', region: 'us-east-1' },
    's3://files/below/it': { kind: 's3', bucket: 'files', prefix: 'below/it/', region: 'us-east-1' },
    's3://files/below/?endpoint=http://127.0.0.1:9000/&region=eu&accessKeyId=a%2Bb&secretAccessKey=c%2Fd': {
      kind: 's3',
      bucket: 'files',
      prefix: 'below/',
      endpoint: 'http://127.0.0.1:9000',
      region: 'eu',
      accessKeyId: 'a+b',
      secretAccessKey: 'c/d',
    },
  };
  for (const [given, place] of Object.entries(places)) {
    it(`read ${given} as a place for attachments`, () => {
      assert.deepEqual(readConfig({ CARTULARY_ATTACHMENTS: given }).CARTULARY_ATTACHMENTS, place);
    });
  }

  it('refuse a wrong place for attachments without showing what may be a secret', () => {
    const wrongs = [
      's3://',
      's3:files',
      'https://files.example',
      's3://files?endpoints=http://x',
      's3://files?endpoint=files.example',
      's3://files?accessKeyId=hidden',
      's3://files?secretAccessKey=hidden',
      's3://hidden@files',
      's3://key:hidden@files',
      's3://:hidden@files',
      's3://files:9000',
      's3://files?accessKeyId=a&secretAccessKey=b#hidden',
      's3://KEY:hidden@files:9000#x',
    ];
    for (const given of wrongs) {
      const message = complaint({ CARTULARY_ATTACHMENTS: given });
      assert.match(message, /^CARTULARY_ATTACHMENTS must /);
      assert.doesNotMatch(message, /hidden/);
    }
  });

  it('leave the rest of the environment alone', () => {
    const others = {
      PATH: '/bin',
      PORT: 'x',
      cartulary_port: 'x',
      CARTULARY_TEST_DATABASE_URL: 'x',
      MY_CARTULARY_X: '',
    };
    assert.deepEqual(readConfig(others), readConfig({}));
  });

  it('refuse a CARTULARY_ name that they do not have, and say which may be meant, or which they have', () => {
    for (const name of ['CARTULARY_', 'CARTULARY_TEST', 'CARTULARY_FOO', 'CARTULARY_SECRET_DOOR']) {
      const message = complaint({ [name]: '' });
      assert.match(message, new RegExp(`^${name} is not a setting .*\\(known: CARTULARY_PORT, [^\n]*\\)$`));
    }
    const meant = {
      CARTULARY_PORTS: 'CARTULARY_PORT',
      CARTULARY_port: 'CARTULARY_PORT',
      CARTULARY_POTR: 'CARTULARY_PORT',
      CARTULARY_DATABASE_URL: 'DATABASE_URL',
      CARTULARY_METRIC_PORT: 'CARTULARY_METRICS_PORT',
      CARTULARY_WORKER: 'CARTULARY_WORKERS',
    };
    for (const [name, other] of Object.entries(meant)) {
      assert.equal(complaint({ [name]: '' }), `${name} is not a setting of Cartulary (did you mean ${other}?)`);
    }
  });

  it('refuse one port for two things', () => {
    const same = { CARTULARY_PORT: '9000', CARTULARY_METRICS_PORT: '9000' };
    for (const hosts of [{}, { CARTULARY_HOST: '0.0.0.0' }, { CARTULARY_METRICS_HOST: 'localhost' }]) {
      const message = complaint({ ...same, ...hosts });
      assert.match(message, /^CARTULARY_METRICS_PORT and CARTULARY_PORT must differ .*: both are 9000$/);
    }
    readConfig({ ...same, CARTULARY_HOST: '10.0.0.1' });
    readConfig({ CARTULARY_PORT: '0', CARTULARY_METRICS_PORT: '0' });
  });

  it('refuse a host for metrics without a port, which would be ignored', () => {
    const message = complaint({ CARTULARY_METRICS_HOST: '10.0.0.1' });
    assert.match(message, /^CARTULARY_METRICS_PORT must be set if CARTULARY_METRICS_HOST is set/);
    readConfig({ CARTULARY_METRICS_HOST: '' });
  });

  it('take the addresses of databases that there are', () => {
    for (const given of [
      'postgres://me:p%40w@a.example,b.example:5433,[::1]:5434/db?target_session_attrs=read-write',
      'postgres://me@/db?host=%2Frun%2Fa,/run/b&port=5433,5434',
      'postgres://me@/db?host=/run/a,/run/b&port=5433',
      'postgresql:///db',
      'postgres://me:p w,x@h:/db?sslmode=require&channel_binding=require&connect_timeout=10',
      'postgres://h/db?user=me&password=a@b&sslrootcert=/ca.pem&options=-c%20work_mem%3D8MB',
    ]) {
      assert.equal(readConfig({ DATABASE_URL: given }).DATABASE_URL, given);
    }
  });

  it('say what is wrong with the address of a database, and nothing that may be of the password', () => {
    const wrongs: [string, RegExp][] = [
      ['postgres://u:hunter2@h1:5432,h2:x/db', /as host number 2, with a port from 1 to 65535/],
      ['postgres://u:hunter2@h1:5432,h2:70000/db', /as host number 2/],
      ['postgres://u:hunter2@h1:0/db', /as its host,/],
      ['postgres://u:hunter2@:5432/db', /as its host,/],
      ['postgres://u:hunter2@::1/db', /as its host,/],
      ['postgres://u:hunter2@h/db?sslmod=require', /must not have sslmod \(known: host, port, .*sslmode,/],
      ['postgres://u:hunter2@h/db?foo=bar', /must not have foo \(/],
      ['postgres://u:hunter2@h/db?application_name=x', /must not have application_name, which the server sets itself/],
      ['postgres://u@/db?host=/a,/b&port=1,x', /ports from 1 to 65535/],
      ['postgres://u@/db?host=/a,/b&port=1,2,3', /one port for all hosts, or one for each host/],
      ['postgres://u@/db?host=/a,,/b', /every host/],
      ['postgres://u:12/hunter2@h/db', /percent-encoded/],
      ['postgres://u:12#hunter2@h/db', /percent-encoded/],
      ['postgres://u:12?hunter2@h/db', /must not have an unknown parameter/],
      ['postgres://u:12?hunter2=x@h/db', /must not have an unknown parameter/],
      ['localhost:5432', /as postgres:\/\/USER:PASSWORD@HOST:5432\/DATABASE does/],
    ];
    for (const [given, expected] of wrongs) {
      const message = complaint({ DATABASE_URL: given });
      assert.match(message, /^DATABASE_URL must /);
      assert.match(message, expected);
      assert.doesNotMatch(message, /hunter2/);
    }
  });

  it('give an example of an address', () => {
    assert.equal(
      complaint({ OTEL_EXPORTER_OTLP_ENDPOINT: '127.0.0.1:4318' }),
      'OTEL_EXPORTER_OTLP_ENDPOINT must be an http(s) address such as http://127.0.0.1:4318',
    );
    assert.match(
      complaint({ CARTULARY_ATTACHMENTS: 's3://b?endpoint=minio:9000' }),
      /must have an http\(s\) address as its endpoint/,
    );
  });

  const wrong: Record<string, string[]> = {
    CARTULARY_PORT: ['x', '-1', '65536', '80.5', '0x50', '1e3', ' 80', '٣'],
    CARTULARY_DATABASE_CONNECTIONS: ['1', '501', 'many'],
    CARTULARY_CITUS_DIRECT: ['yes', '1', 'TRUE', ' true'],
    CARTULARY_CONNECTIONS: ['9', '1000001'],
    CARTULARY_REQUESTS_AT_ONCE: ['7', '10001'],
    CARTULARY_REQUEST_SECONDS: ['0', '3601', '1.5'],
    CARTULARY_UNHELD_ATTACHMENT_DAYS: ['0', '3651', '7d', '0.5'],
    CARTULARY_ACTIVITY_LOG_DAYS: ['0', '36501', 'for ever'],
    CARTULARY_ANNOUNCED_UPLOAD_DAYS: ['0', '3651', 'a week'],
    CARTULARY_AUTH_FAILURES_ACCOUNT: ['0', '-5', '1000001', 'Infinity'],
    CARTULARY_AUTH_FAILURES_ADDRESS: ['0', 'NaN', '99999999999999999999'],
    CARTULARY_PUBLIC_URL: [
      'records.example',
      'ftp://records.example',
      '/below',
      'http://',
      'javascript:alert(1)',
      'https://records.example/?x=1',
      'https://records.example/#x',
      'https://me@records.example',
    ],
    CARTULARY_ALLOWED_ORIGINS: [
      '*',
      'null',
      'app.example.com',
      'https://app.example.com/',
      'https://App.example.com',
      'https://*.example.com',
      'https://app.example.com:443',
      'https://app.example.com,',
      'capacitor://localhost',
    ],
    CARTULARY_TRUSTED_PROXIES: [
      'localhost',
      '10.0.0.1,',
      ',',
      '10.0.0.0/33',
      '10.0.0.0/x',
      '10.0.0.0/',
      '10.0.0.0/8/8',
      '::1/129',
      '10.0.0.0/-1',
      '0.0.0.0/0',
    ],
    CARTULARY_PUSH_SERVICES: [
      '*',
      'a',
      'a..b',
      'a.b/c',
      'ftp://a.b',
      'https://a.b/c',
      'a.b,,c.d',
      '*.*.a.b',
      'https://u@a.b',
    ],
    CARTULARY_PUSH_SUBJECT: ['a@b.c', 'mailto:', 'mailto:a', 'http://a.b', 'https://'],
    CARTULARY_METRICS_PORT: ['-1', '65536', 'on'],
    OTEL_TRACES_SAMPLER: ['sometimes', 'jaeger_remote'],
    OTEL_TRACES_SAMPLER_ARG: ['-0.1', '1.1', 'much'],
    CARTULARY_LOG_LEVEL: ['INFO', 'verbose', 'toString'],
  };
  for (const [name, values] of Object.entries(wrong)) {
    it(`refuse a wrong ${name} and show it`, () => {
      for (const value of values) {
        const message = complaint({ [name]: value });
        assert.ok(message.startsWith(`${name} must be `), message);
        assert.ok(message.endsWith(`, not ${JSON.stringify(value)}`), message);
      }
    });
  }

  it('never show a secret', () => {
    const secrets = {
      CARTULARY_OPERATOR_KEY: [
        'hunter2',
        'hunter2'.padEnd(31, '-'),
        'hunter2 with spaces and more, forty of them',
        'hünter2-hünter2-hünter2-hünter2-hünter2',
        'hunter2'.repeat(100),
      ],
      DATABASE_URL: [
        'hunter2',
        'mysql://someone:hunter2@host/db',
        'host=localhost password=hunter2',
        'postgres://someone:hunter2@host,,other/db',
        'postgres://someone:hunter2@host,other/db?target_session_attrs=standby',
      ],
    };
    for (const [name, values] of Object.entries(secrets)) {
      for (const value of values) {
        const message = complaint({ [name]: value });
        assert.ok(message.startsWith(`${name} must `), message);
        assert.doesNotMatch(message, /h[uü]nter2/);
      }
    }
  });

  it('say everything that is wrong at once', () => {
    const message = complaint({
      CARTULARY_PROT: '80',
      CARTULARY_PORT: 'x',
      CARTULARY_OPERATOR_KEY: 'short',
      CARTULARY_LOG_LEVEL: 'loud',
      DATABASE_URL: 'mysql://x',
    });
    assert.deepEqual(
      message.split('\n').map((line) => line.split(' ')[0]),
      ['CARTULARY_PROT', 'CARTULARY_PORT', 'CARTULARY_OPERATOR_KEY', 'DATABASE_URL', 'CARTULARY_LOG_LEVEL'],
    );
  });

  it('each explain themselves', () => {
    for (const [name, { sentence }] of Object.entries(SETTINGS)) assert.match(sentence, /^[A-Z].{10,}\.$/, name);
  });
});
