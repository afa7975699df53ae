// The service worker of notifications: shows what a push service brings, also while no page is open, and opens what it speaks
// of. It imports nothing, so that it is one file, which the build leaves under a name that never changes.

import type { ArrivedMessage, NotificationWorker } from './worker-scope.ts';

const worker = self as unknown as NotificationWorker;

/** Messages come encrypted from the server alone, yet a worker must show something for each. */
function read(data: { text(): string } | null): ArrivedMessage {
  try {
    const message = JSON.parse(data?.text() ?? '{}') as Partial<ArrivedMessage>;
    return { ...message, title: String(message.title ?? 'Cartulary'), body: String(message.body ?? '') };
  } catch {
    return { title: 'Cartulary', body: '' };
  }
}

worker.addEventListener('push', (event) => {
  const { title, body, url, sound, notificationId } = read(event.data);
  const tag = notificationId === undefined ? {} : { tag: notificationId };
  const shown = { body, ...tag, silent: sound !== 'default', data: { url } };
  event.waitUntil(worker.registration.showNotification(title, shown));
});

worker.addEventListener('notificationclick', (event) => {
  event.notification.close();
  event.waitUntil(open(event.notification.data?.url));
});

/** A page that is open already is shown and goes there itself: what was typed on it is kept. */
async function open(url: unknown): Promise<void> {
  const home = new URL('/console', worker.location.origin);
  const target = typeof url === 'string' && /^https?:/i.test(url) ? new URL(url) : home;
  if (target.origin === home.origin && `${target.pathname}/`.startsWith('/console/')) {
    const windows = await worker.clients.matchAll({ type: 'window', includeUncontrolled: true });
    const application = target.pathname.split('/')[2] ?? '';
    const fitting = windows.find((window) => new URL(window.url).pathname.split('/')[2] === application);
    if (fitting !== undefined) {
      fitting.postMessage({ type: 'open', path: target.pathname + target.search + target.hash });
      await fitting.focus().catch(() => undefined);
      return;
    }
  }
  await worker.clients.openWindow(target.href);
}

// A new version takes over at once: it has no state that pages could depend on.
worker.addEventListener('install', () => void worker.skipWaiting());
worker.addEventListener('activate', (event) => event.waitUntil(worker.clients.claim()));
