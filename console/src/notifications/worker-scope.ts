// What the worker uses of its surroundings. The types of pages and those of workers contradict each other, so a program has
// only one of them.

export interface ArrivedMessage {
  readonly title: string;
  readonly body: string;
  readonly url?: string;
  readonly sound?: string;
  readonly notificationId?: string;
}

interface Lasting {
  waitUntil(work: Promise<unknown>): void;
}

interface OpenWindow {
  readonly url: string;
  postMessage(message: unknown): void;
  focus(): Promise<unknown>;
}

interface WorkerEvents {
  readonly push: Lasting & { readonly data: { text(): string } | null };
  readonly notificationclick: Lasting & {
    readonly notification: { readonly data: { readonly url?: unknown } | null; close(): void };
  };
  readonly install: Lasting;
  readonly activate: Lasting;
}

export interface NotificationWorker {
  readonly location: { readonly origin: string };
  readonly registration: { showNotification(title: string, options: object): Promise<void> };
  readonly clients: {
    matchAll(options: { type: 'window'; includeUncontrolled: boolean }): Promise<readonly OpenWindow[]>;
    openWindow(url: string): Promise<unknown>;
    claim(): Promise<void>;
  };
  skipWaiting(): Promise<void>;
  addEventListener<Name extends keyof WorkerEvents>(name: Name, listener: (event: WorkerEvents[Name]) => void): void;
}
