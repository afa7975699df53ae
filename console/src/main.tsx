// Starts the console on the page. The style sheets of the parts come after the common ones, which they refine.

import './tokens.css';
import './base.css';

import { QueryClient, QueryClientProvider } from '@tanstack/react-query';
import { RouterProvider } from '@tanstack/react-router';
import { StrictMode } from 'react';
import { createRoot } from 'react-dom/client';
import { notingRequests } from './api/sent-requests.ts';
import { loadPreferred, MessagesProvider } from './messages/provider.tsx';
import { createConsoleRouter } from './router.tsx';

/** The client repeats what may be repeated, so the cache does not. */
const queries = new QueryClient({
  defaultOptions: {
    queries: {
      retry: false,
      refetchOnWindowFocus: true,
      gcTime: 120_000,
      // Nothing is kept: this is the place through which all queries go.
      persister: (queryFn, context, query) => notingRequests(query, () => queryFn(context)),
      // With a persister, queries would be tried without a network.
      networkMode: 'online',
    },
  },
});
const router = createConsoleRouter();

const place = document.getElementById('console');
if (place === null) throw new Error('The page has no place for the console.');
createRoot(place).render(
  <StrictMode>
    <QueryClientProvider client={queries}>
      <MessagesProvider first={await loadPreferred()}>
        <RouterProvider router={router} />
      </MessagesProvider>
    </QueryClientProvider>
  </StrictMode>,
);
