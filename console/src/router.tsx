// The addresses of the console. Everything that can be looked at has one.

import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { lazy } from 'react';
import { ApplicationFrame } from './frame/ApplicationFrame.tsx';
import { FirstCollection } from './frame/FirstCollection.tsx';
import { NotFound } from './frame/NotFound.tsx';
import { ProblemPage } from './frame/ProblemPage.tsx';
import { remembered } from './frame/remembered.ts';
import { GridPage } from './grid/GridPage.tsx';
import { readGridAddress } from './grid/grid-address.ts';
import { ChooseApplicationPage } from './sign-in/ChooseApplication.tsx';
import { takeMailedLink } from './sign-in/mailed-link.ts';

// The grid comes first; what is opened from it is loaded meanwhile.
const RecordPage = lazy(async () => ({ default: (await import('./record/RecordPage.tsx')).RecordPage }));
const NewRecordPage = lazy(async () => ({ default: (await import('./record/NewRecordPage.tsx')).NewRecordPage }));
const NewPasswordPage = lazy(async () => ({
  default: (await import('./sign-in/NewPasswordPage.tsx')).NewPasswordPage,
}));

/** Taken from the address before anything else looks at it. */
const MAILED_LINK = takeMailedLink();

const root = createRootRoute({
  component: Outlet,
  notFoundComponent: () => <NotFound />,
  errorComponent: ProblemPage,
});

const choose = createRoute({
  getParentRoute: () => root,
  path: '/',
  beforeLoad: () => {
    const inHash = new URLSearchParams(location.hash.slice(1)).get('application');
    const application = inHash ?? remembered('application');
    if (application !== undefined) throw redirect({ to: '/$application', params: { application }, replace: true });
  },
  component: ChooseApplicationPage,
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/resetPassword',
  component: () => <NewPasswordPage link={MAILED_LINK} />,
});

const application = createRoute({
  getParentRoute: () => root,
  path: '/$application',
  component: function Application() {
    const { application: id } = application.useParams();
    return <ApplicationFrame key={id} application={id} />;
  },
});

const firstCollection = createRoute({
  getParentRoute: () => application,
  path: '/',
  component: function First() {
    return <FirstCollection {...firstCollection.useParams()} />;
  },
});

const collection = createRoute({
  getParentRoute: () => application,
  path: '/$collection',
  validateSearch: readGridAddress,
  component: function Collection() {
    const params = collection.useParams();
    return <GridPage key={params.collection} {...params} address={collection.useSearch()} />;
  },
});

const record = createRoute({
  getParentRoute: () => application,
  path: '/$collection/$record',
  validateSearch: ({ edit }: Record<string, unknown>): { edit?: boolean } => (edit === true ? { edit } : {}),
  component: function OneRecord() {
    const params = record.useParams();
    return <RecordPage key={params.record} {...params} edit={record.useSearch().edit === true} />;
  },
});

const newRecord = createRoute({
  getParentRoute: () => application,
  path: '/$collection/new',
  component: function NewRecord() {
    return <NewRecordPage {...newRecord.useParams()} />;
  },
});

const routeTree = root.addChildren([
  choose,
  newPassword,
  application.addChildren([firstCollection, collection, newRecord, record]),
]);

export const createConsoleRouter = () =>
  createRouter({
    routeTree,
    basepath: '/console',
    defaultPreload: 'intent',
    defaultErrorComponent: ProblemPage,
  });

declare module '@tanstack/react-router' {
  interface Register {
    router: ReturnType<typeof createConsoleRouter>;
  }
}
