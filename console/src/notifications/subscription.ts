// The browser's side of Web Push: what it can do, its subscription at a push service, and the device that the server knows.

import { CartularyError, type Client, type Device } from '../api/client.ts';
import { forgetDevice, knownDevice, rememberDevice } from './known-device.ts';

/** The worker has to live above all addresses of the console. */
export const WORKER = '/console/notifications-worker.js';
const SCOPE = '/console/';

export type Obstacle = 'insecure' | 'ios' | 'unsupported' | 'denied' | 'dismissed' | 'service' | 'untrusted';

/** What keeps this browser from receiving notifications; undefined if nothing is known to. */
export function obstacle(): Obstacle | undefined {
  if (!window.isSecureContext) return 'insecure';
  const able = 'serviceWorker' in navigator && 'PushManager' in window && 'Notification' in window;
  if (!able) return isAppleMobile() ? 'ios' : 'unsupported';
  return Notification.permission === 'denied' ? 'denied' : undefined;
}

/** An iPad says that it is a Mac, which has no touch screen. */
const isAppleMobile = (): boolean =>
  /iPhone|iPad|iPod/.test(navigator.userAgent) || (/Mac/.test(navigator.platform) && navigator.maxTouchPoints > 1);

/** The policy of the page lets scripts of workers come from one place only, by this name. */
const trusted = (): string => {
  const { trustedTypes } = window as unknown as {
    readonly trustedTypes?: {
      createPolicy(name: string, rules: { createScriptURL: () => string }): { createScriptURL(text: string): string };
    };
  };
  workerPolicy ??= trustedTypes?.createPolicy('notifications-worker', { createScriptURL: () => WORKER });
  return workerPolicy?.createScriptURL('') ?? WORKER;
};
let workerPolicy: { createScriptURL(text: string): string } | undefined;

async function worker(): Promise<ServiceWorkerRegistration> {
  await navigator.serviceWorker.register(trusted(), { scope: SCOPE, updateViaCache: 'none' });
  return navigator.serviceWorker.ready;
}

export class NotPossible extends Error {
  readonly why: Obstacle;

  constructor(why: Obstacle) {
    super(why);
    this.why = why;
  }
}

interface Whose {
  readonly client: Client;
  readonly application: string;
  readonly userId: string;
  readonly deviceName: string;
}

/** Asks for permission, so it has to begin with a click. */
export async function turnOn(whose: Whose): Promise<Device> {
  const why = obstacle();
  if (why !== undefined) throw new NotPossible(why);
  const permission = await Notification.requestPermission();
  if (permission !== 'granted') throw new NotPossible(permission === 'denied' ? 'denied' : 'dismissed');
  return register(whose);
}

/** Subscribes, unless the browser is subscribed with the server's key already, and tells the server. */
async function register({ client, application, userId, deviceName }: Whose): Promise<Device> {
  const registration = await worker();
  const publicKey = await client.users.devices.pushKey();
  const subscription = await subscribe(registration.pushManager, publicKey);
  const { endpoint = '', expirationTime, keys } = subscription.toJSON();
  const { p256dh = '', auth = '' } = keys ?? {};
  try {
    const device = await client.users.devices.register(userId, {
      transport: 'webPush',
      subscription: { endpoint, expirationTime: expirationTime ?? null, keys: { p256dh, auth } },
      name: deviceName,
    });
    rememberDevice(application, userId, device.id);
    return device;
  } catch (error) {
    const refused = error instanceof CartularyError && error.is('INVALID_PROPERTY');
    throw refused && error.params.property === 'subscription.endpoint' ? new NotPossible('untrusted') : error;
  }
}

async function subscribe(manager: PushManager, publicKey: string): Promise<PushSubscription> {
  const present = await manager.getSubscription();
  if (present !== null && isOfKey(present, publicKey)) return present;
  // A server that was set up anew has another key, with which nothing can be sent to the old subscription.
  await present?.unsubscribe();
  try {
    return await manager.subscribe({ userVisibleOnly: true, applicationServerKey: publicKey });
  } catch {
    throw new NotPossible(Notification.permission === 'denied' ? 'denied' : 'service');
  }
}

function isOfKey({ options }: PushSubscription, publicKey: string): boolean {
  const { applicationServerKey: bytes } = options;
  if (bytes === null) return false;
  const text = btoa(String.fromCharCode(...new Uint8Array(bytes)));
  return text.replaceAll('+', '-').replaceAll('/', '_').replace(/=+$/, '') === publicKey.replace(/=+$/, '');
}

/** The subscription stays: the browser may be a device of other applications, and without devices nothing is sent to it. */
export async function turnOff({ client, application, userId }: Omit<Whose, 'deviceName'>): Promise<void> {
  // Otherwise it would be registered again after it was removed.
  await renewal.catch(() => undefined);
  const deviceId = knownDevice(application, userId);
  forgetDevice(application, userId);
  if (deviceId === undefined) return;
  try {
    await client.users.devices.remove(userId, deviceId);
  } catch (error) {
    if (!(error instanceof CartularyError && error.status === 404)) throw error;
  }
}

/** At every start, for those who have turned it on: signing out ends a device, and browsers renew their subscriptions. */
export async function keepOn(whose: Whose): Promise<void> {
  const { application, userId } = whose;
  if (knownDevice(application, userId) === undefined || obstacle() !== undefined) return;
  if (Notification.permission !== 'granted') return;
  renewal = register(whose);
  await renewal;
}

/** The registration at the start of this page. */
let renewal: Promise<unknown> = Promise.resolve();

/** Shown by the browser itself, as the worker shows what is sent. */
export async function showTest(title: string, body: string): Promise<void> {
  const registration = await worker();
  await registration.showNotification(title, { body, tag: 'test', data: { url: location.href } });
}
