// The transports by themselves: how long they take at most, and what one message does to the others.

import assert from 'node:assert/strict';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, it } from 'node:test';
import type { Message } from '../../src/domain/notifications.ts';
import { Apns } from '../../src/push/apns.ts';
import { Fcm } from '../../src/push/fcm.ts';
import { readApnsAccount, readFcmAccount } from '../../src/push/key-files.ts';
import { PushServices } from '../../src/push/push-services.ts';
import { type PhoneService, startApns, startFcm } from './phones.ts';

const ever = () => new AbortController().signal;

describe('transports', () => {
  let folder: string;
  let fcmService: PhoneService;
  let apnsService: PhoneService;
  const fcm = () => new Fcm(readFcmAccount(join(folder, 'fcm.json')), Date.now);
  const apns = () => new Apns(readApnsAccount(join(folder, 'apns.json')), Date.now);
  const message = (body: string): Message => ({
    notificationId: '019a8000-0000-7000-8000-000000000000',
    createdAt: Date.now(),
    application: { id: 'a', name: 'A' },
    title: 't',
    body,
  });
  const target = { transport: 'fcm', address: 'a'.repeat(64), keys: null } as const;

  before(async () => {
    folder = await mkdtemp(join(tmpdir(), 'ct-transports-'));
    [fcmService, apnsService] = await Promise.all([startFcm(), startApns()]);
    await writeFile(join(folder, 'fcm.json'), JSON.stringify(fcmService.account));
    await writeFile(join(folder, 'apns.json'), JSON.stringify(apnsService.account));
  });
  after(async () => {
    await Promise.all([fcmService.close(), apnsService.close()]);
    await rm(folder, { recursive: true });
  });

  it('have one deadline for everything that a message needs', async () => {
    // Each of the steps is quick enough; together they are not.
    fcmService.react = () => ({ status: 401, body: {}, delayMs: 400 });
    const began = performance.now();
    const outcome = await fcm().send(target, message('a'), AbortSignal.timeout(600));
    assert.deepEqual(outcome, { kind: 'later', problem: 'no answer within 10 s' });
    assert.ok(performance.now() - began < 1_500);
    fcmService.react = () => ({ status: 200 });
  });

  it('of FCM ask for one token when many find theirs withdrawn, and believe no nonsense about its life', async () => {
    const transport = fcm();
    for (const life of ['soon', null, {}, -1]) {
      fcmService.tokenLife = life;
      const fresh = await fcm().send(target, message('a'), AbortSignal.timeout(5_000));
      assert.deepEqual(fresh, { kind: 'delivered' }, JSON.stringify(life));
    }
    fcmService.tokenLife = 3_600;
    await transport.send(target, message('a'), ever());
    fcmService.tokens.add('withdrawn');
    const before = fcmService.tokens.size;
    const outcomes = await Promise.all(
      Array.from({ length: 8 }, (_, index) => transport.send(target, message(String(index)), ever())),
    );
    assert.ok(outcomes.every(({ kind }) => kind === 'delivered'));
    assert.equal(fcmService.tokens.size, before + 1);
    await transport.close();
  });

  it('of APNs give up a slow message without those beside it, and a dead connection with all', async () => {
    const transport = apns();
    apnsService.react = ({ body }) => ({
      status: 200,
      delayMs: { slow: 2_000, steady: 500 }[String(body.aps.alert.body)] ?? 0,
    });
    await transport.send(target, message('quick'), ever());
    const slow = transport.send(target, message('slow'), AbortSignal.timeout(300));
    const steady = transport.send(target, message('steady'), ever());
    assert.deepEqual(await transport.send(target, message('quick'), ever()), { kind: 'delivered' });
    assert.deepEqual(await slow, { kind: 'later', problem: 'no answer within 10 s' });
    assert.deepEqual(await steady, { kind: 'delivered' });
    assert.equal(apnsService.connections, 1);
    // Nothing at all arrives.
    assert.equal((await transport.send(target, message('slow'), AbortSignal.timeout(300))).kind, 'later');
    assert.deepEqual(await transport.send(target, message('quick'), ever()), { kind: 'delivered' });
    assert.equal(apnsService.connections, 2);
    await transport.close();
  });

  it('of browsers know a service by its entry, not by the host', () => {
    const services = new PushServices(['fcm.googleapis.com', '*.push.apple.com', 'http://127.0.0.1:1234']);
    const table = {
      'https://fcm.googleapis.com/a': 'fcm.googleapis.com',
      'https://web.push.apple.com/a': '*.push.apple.com',
      'https://other.push.apple.com/a': '*.push.apple.com',
      'http://127.0.0.1:1234/a': 'http://127.0.0.1:1234',
    };
    for (const [address, service] of Object.entries(table)) assert.equal(services.trusted(address)?.service, service);
  });
});
