// The entry to all push transports: which of them are configured, and sending through them.

import type { Message } from '../domain/notifications.ts';
import type { TransportName } from '../wire/notifications.ts';
import { Apns } from './apns.ts';
import { Fcm } from './fcm.ts';
import type { ApnsAccount, FcmAccount } from './key-files.ts';
import { PushServices } from './push-services.ts';
import { type PushOutcome, SEND_TIMEOUT_MS, type Target, type Transport } from './transport.ts';
import { type VapidKeys, WebPush } from './web-push.ts';

export interface PushSettings {
  /** The services that browsers may name; see push-services.ts. */
  readonly services: readonly string[];
  readonly subject: string;
  readonly fcm?: FcmAccount;
  readonly apns?: ApnsAccount;
}

export class Push {
  readonly #services: PushServices;
  readonly #transports: Partial<Record<TransportName, Transport>>;
  #keys: VapidKeys | undefined;

  constructor({ services, subject, fcm, apns }: PushSettings, now: () => number) {
    this.#services = new PushServices(services);
    this.#transports = {
      webPush: new WebPush({ services: this.#services, keys: () => this.#vapid(), subject, now }),
      ...(fcm === undefined ? {} : { fcm: new Fcm(fcm, now) }),
      ...(apns === undefined ? {} : { apns: new Apns(apns, now) }),
    };
  }

  /** The keys are stored in the database; called before the first request. */
  useKeys(keys: VapidKeys): void {
    this.#keys = keys;
  }

  get publicKey(): string {
    return this.#vapid().publicKey;
  }

  has(transport: TransportName): boolean {
    return transport in this.#transports;
  }

  trusts(endpoint: string): boolean {
    return this.#services.trusted(endpoint) !== undefined;
  }

  serviceOf(target: Target): string {
    return this.#transports[target.transport]?.serviceOf(target) ?? '';
  }

  async send(target: Target, message: Message): Promise<PushOutcome> {
    const transport = this.#transports[target.transport];
    if (transport === undefined) return { kind: 'refused', problem: `${target.transport} is not set up` };
    return transport.send(target, message, AbortSignal.timeout(SEND_TIMEOUT_MS));
  }

  async close(): Promise<void> {
    await Promise.all(Object.values(this.#transports).map((transport) => transport.close()));
  }

  #vapid(): VapidKeys {
    if (this.#keys === undefined) throw new Error('The VAPID keys have not been loaded');
    return this.#keys;
  }
}
