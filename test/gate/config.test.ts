// Settings: defaults, what is refused and how it is said.

import assert from 'node:assert/strict';
import { describe, it } from 'node:test';
import { ConfigError, readConfig, SETTINGS } from '../../src/config.ts';

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
      OTEL_SERVICE_NAME: 'cartulary',
      OTEL_TRACES_SAMPLER: 'parentbased_always_on',
      OTEL_TRACES_SAMPLER_ARG: 1,
      CARTULARY_LOG_LEVEL: 'info',
    });
  });

  it('take an empty value as none', () => {
    const empty = Object.fromEntries(Object.keys(SETTINGS).map((name) => [name, '']));
    assert.deepEqual(readConfig(empty), readConfig({}));
  });

  it('are read as what they are', () => {
    const given = {
      CARTULARY_PORT: '0',
      CARTULARY_HOST: '::1',
      CARTULARY_DATA: '/srv/data',
      CARTULARY_OPERATOR_KEY: 'k'.repeat(16),
      DATABASE_URL: 'postgresql://someone:secret@host/db',
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
      OTEL_TRACES_SAMPLER: 'parentbased_traceidratio',
      OTEL_TRACES_SAMPLER_ARG: '0.01',
      CARTULARY_LOG_LEVEL: 'silent',
    };
    assert.deepEqual(readConfig(given), {
      ...given,
      CARTULARY_PUSH_SERVICES: ['push.example.com', '*.example.org', 'http://127.0.0.1:1234'],
      CARTULARY_PORT: 0,
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
      CARTULARY_AUTH_FAILURES_ACCOUNT: 1,
      CARTULARY_AUTH_FAILURES_ADDRESS: 1_000_000,
      CARTULARY_METRICS_PORT: 9464,
      OTEL_EXPORTER_OTLP_ENDPOINT: 'http://collector.example:4318',
      OTEL_TRACES_SAMPLER_ARG: 0.01,
    });
  });

  it('of mail are right, and belong together', () => {
    const from = { CARTULARY_MAIL_FROM: 'a@example.com', CARTULARY_PUBLIC_URL: 'https://records.example' };
    const wrong = ['mail.example', 'http://mail.example', 'smtp://', 'smtp://h/path', 'smtp://u:geheim@h?x=1'];
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

  it('refuse a CARTULARY_ name that they do not have, and say which they have', () => {
    for (const name of ['CARTULARY_PORTS', 'CARTULARY_', 'CARTULARY_port', 'CARTULARY_TEST']) {
      const message = complaint({ [name]: '' });
      assert.match(message, new RegExp(`^${name} is not a setting`));
      assert.ok(message.includes('CARTULARY_PORT,'));
      assert.equal(message.split('\n').length, 1);
    }
  });

  const wrong: Record<string, string[]> = {
    CARTULARY_PORT: ['x', '-1', '65536', '80.5', '0x50', '1e3', ' 80', '٣'],
    CARTULARY_DATABASE_CONNECTIONS: ['1', '501', 'many'],
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
        'hunter2 with spaces and more',
        'hünter2-hünter2-hünter2',
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
