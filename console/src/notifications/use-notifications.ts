// What every page of an application does for notifications: keeps this browser registered for those who have turned them on,
// and goes where a click on a notification leads.

import { useRouter } from '@tanstack/react-router';
import { useEffect } from 'react';
import { clientOf, type Session } from '../api/client.ts';
import { knownDevice } from './known-device.ts';

export function useNotifications(application: string, session: Session): void {
  const router = useRouter();
  const userId = session.user.id;
  useEffect(() => {
    if (knownDevice(application, userId) === undefined) return;
    // Later than the page itself, and only where it is wanted. Next time is soon enough if it fails.
    void import('./subscription.ts')
      .then(({ keepOn }) =>
        keepOn({ client: clientOf(application), application, userId, deviceName: navigator.platform }),
      )
      .catch(() => undefined);
  }, [application, userId]);
  useEffect(() => {
    const { serviceWorker } = navigator as { readonly serviceWorker?: ServiceWorkerContainer };
    const onMessage = ({ data }: MessageEvent<unknown>) => {
      const { type, path } = (data ?? {}) as { readonly type?: unknown; readonly path?: unknown };
      if (type === 'open' && typeof path === 'string' && path.startsWith('/console')) router.history.push(path);
    };
    serviceWorker?.addEventListener('message', onMessage);
    return () => serviceWorker?.removeEventListener('message', onMessage);
  }, [router]);
}
