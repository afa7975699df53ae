// The addresses of the console. Everything that can be looked at has one.

import { createRootRoute, createRoute, createRouter, Outlet, redirect } from '@tanstack/react-router';
import { lazy, Suspense } from 'react';
import { useTranslations } from 'use-intl';
import { readActivityAddress } from './activity/activity-address.ts';
import { readDesignAddress } from './design/design-address.ts';
import { ApplicationFrame } from './frame/ApplicationFrame.tsx';
import { FirstCollection } from './frame/FirstCollection.tsx';
import { knownApplications } from './frame/known-applications.ts';
import { late } from './frame/late.ts';
import { useLostFocus } from './frame/lost-focus.ts';
import { NotFound } from './frame/NotFound.tsx';
import { ProblemPage } from './frame/ProblemPage.tsx';
import { remembered } from './frame/remembered.ts';
import { readApplicationAddress } from './operate/addresses.ts';
import { readRecordAddress } from './record/record-address.ts';
import { WaitingSheet } from './record/WaitingSheet.tsx';
import { takeMailedLink } from './sign-in/mailed-link.ts';
import { CollectionPage } from './views/CollectionPage.tsx';
import { readViewAddress } from './views/view-address.ts';

// The grid comes first; what is opened from it is loaded meanwhile.
const RecordPage = late(async () => (await import('./record/RecordPage.tsx')).RecordPage);
const NewRecordPage = late(async () => (await import('./record/NewRecordPage.tsx')).NewRecordPage);
const ImportPage = lazy(async () => ({ default: (await import('./moving/ImportPage.tsx')).ImportPage }));
const ActivityPage = lazy(async () => ({ default: (await import('./activity/ActivityPage.tsx')).ActivityPage }));
const NotificationsPage = lazy(async () => ({
  default: (await import('./notifications/NotificationsPage.tsx')).NotificationsPage,
}));
const ChooseApplicationPage = lazy(async () => ({
  default: (await import('./sign-in/ChooseApplication.tsx')).ChooseApplicationPage,
}));
const NewPasswordPage = lazy(async () => ({
  default: (await import('./sign-in/NewPasswordPage.tsx')).NewPasswordPage,
}));

const DesignStartPage = lazy(async () => ({ default: (await import('./design/DesignStartPage.tsx')).DesignStartPage }));
const DesignPage = lazy(async () => ({ default: (await import('./design/DesignPage.tsx')).DesignPage }));
const OperatorFrame = lazy(async () => ({ default: (await import('./operate/OperatorFrame.tsx')).OperatorFrame }));
const ApplicationsPage = lazy(async () => ({
  default: (await import('./operate/ApplicationsPage.tsx')).ApplicationsPage,
}));
const OperatedApplicationPage = lazy(async () => ({
  default: (await import('./operate/ApplicationPage.tsx')).ApplicationPage,
}));
const PublishPage = lazy(async () => ({ default: (await import('./operate/publish/PublishPage.tsx')).PublishPage }));
const QuotasPage = lazy(async () => ({ default: (await import('./operate/quotas/QuotasPage.tsx')).QuotasPage }));
const OrganizationsPage = lazy(async () => ({
  default: (await import('./operate/organizations/OrganizationsPage.tsx')).OrganizationsPage,
}));
const MaintenancePage = lazy(async () => ({
  default: (await import('./operate/maintenance/MaintenancePage.tsx')).MaintenancePage,
}));
const HealthPage = lazy(async () => ({ default: (await import('./operate/health/HealthPage.tsx')).HealthPage }));
const PeoplePage = lazy(async () => ({ default: (await import('./people/PeoplePage.tsx')).PeoplePage }));
const UsersTab = lazy(async () => ({ default: (await import('./people/UsersTab.tsx')).UsersTab }));
const GroupsTab = lazy(async () => ({ default: (await import('./people/GroupsTab.tsx')).GroupsTab }));
const SharedUsersTab = lazy(async () => ({ default: (await import('./people/SharedUsersTab.tsx')).SharedUsersTab }));
const UserPage = lazy(async () => ({ default: (await import('./people/UserPage.tsx')).UserPage }));
const NewUserPage = lazy(async () => ({ default: (await import('./people/NewUserPage.tsx')).NewUserPage }));
const ManyPeoplePage = lazy(async () => ({ default: (await import('./people/ManyPeoplePage.tsx')).ManyPeoplePage }));
const SharedUserPage = lazy(async () => ({ default: (await import('./people/SharedUserPage.tsx')).SharedUserPage }));
const NewSharedUserPage = lazy(async () => ({
  default: (await import('./people/NewSharedUserPage.tsx')).NewSharedUserPage,
}));
const MePage = lazy(async () => ({ default: (await import('./me/MePage.tsx')).MePage }));

/** Taken from the address before anything else looks at it. */
const MAILED_LINK = takeMailedLink();

const root = createRootRoute({
  component: function Console() {
    useLostFocus();
    return <Outlet />;
  },
  notFoundComponent: () => <NotFound />,
  errorComponent: ProblemPage,
});

const choose = createRoute({
  getParentRoute: () => root,
  path: '/',
  validateSearch: ({ choose: asked, home }: Record<string, unknown>): { choose?: boolean; home?: string } => ({
    ...(asked === true ? { choose: asked } : {}),
    ...(typeof home === 'string' ? { home } : {}),
  }),
  beforeLoad: ({ search }) => {
    const inHash = new URLSearchParams(location.hash.slice(1)).get('application');
    // Those who use several choose.
    const isChoice = search.choose === true || knownApplications().length > 1;
    const application = inHash ?? (isChoice ? undefined : (remembered('application') ?? search.home));
    if (application !== undefined) throw redirect({ to: '/$application', params: { application }, replace: true });
  },
  component: ChooseApplicationPage,
});

const newPassword = createRoute({
  getParentRoute: () => root,
  path: '/resetPassword',
  component: () => <NewPasswordPage link={MAILED_LINK} />,
});

const operate = createRoute({
  getParentRoute: () => root,
  path: '/operate',
  component: function Operate() {
    return (
      <Suspense>
        <OperatorFrame />
      </Suspense>
    );
  },
});

const operatedApplications = createRoute({ getParentRoute: () => operate, path: '/', component: ApplicationsPage });

const operatedApplication = createRoute({
  getParentRoute: () => operate,
  path: '/applications/$application',
  validateSearch: readApplicationAddress,
  component: function OperatedApplication() {
    const params = operatedApplication.useParams();
    const { tab = 'overview' } = operatedApplication.useSearch();
    return <OperatedApplicationPage key={params.application} {...params} tab={tab} />;
  },
});

const operatedPublish = createRoute({ getParentRoute: () => operate, path: '/publish', component: PublishPage });
const operatedQuotas = createRoute({ getParentRoute: () => operate, path: '/quotas', component: QuotasPage });
const operatedOrganizations = createRoute({
  getParentRoute: () => operate,
  path: '/organizations',
  component: OrganizationsPage,
});
const operatedMaintenance = createRoute({
  getParentRoute: () => operate,
  path: '/maintenance',
  component: MaintenancePage,
});
const operatedHealth = createRoute({ getParentRoute: () => operate, path: '/health', component: HealthPage });

const designs = createRoute({
  getParentRoute: () => root,
  path: '/design',
  component: function Designs() {
    return (
      <Suspense>
        <DesignStartPage />
      </Suspense>
    );
  },
});

const design = createRoute({
  getParentRoute: () => root,
  path: '/design/$draft',
  validateSearch: readDesignAddress,
  component: function OneDesign() {
    const { draft } = design.useParams();
    return (
      <Suspense>
        <DesignPage key={draft} draft={draft} address={design.useSearch()} />
      </Suspense>
    );
  },
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
  validateSearch: readViewAddress,
  component: function Collection() {
    const params = collection.useParams();
    return <CollectionPage key={params.collection} {...params} address={collection.useSearch()} />;
  },
});

const activity = createRoute({
  getParentRoute: () => application,
  path: '/activity',
  validateSearch: readActivityAddress,
  component: function Activity() {
    return <ActivityPage {...activity.useParams()} address={activity.useSearch()} />;
  },
});

const notifications = createRoute({
  getParentRoute: () => application,
  path: '/notifications',
  component: function Notifications() {
    return <NotificationsPage {...notifications.useParams()} />;
  },
});

const record = createRoute({
  getParentRoute: () => application,
  path: '/$collection/$record',
  validateSearch: readRecordAddress,
  component: function OneRecord() {
    const params = record.useParams();
    return (
      <Suspense fallback={<WaitingSheet />}>
        <RecordPage key={params.record} {...params} address={record.useSearch()} />
      </Suspense>
    );
  },
});

const newRecord = createRoute({
  getParentRoute: () => application,
  path: '/$collection/new',
  validateSearch: ({ given }: Record<string, unknown>): { given?: string } =>
    typeof given === 'string' ? { given } : {},
  component: function NewRecord() {
    const params = newRecord.useParams();
    return (
      <Suspense fallback={<WaitingSheet title={useTranslations('record')('create')} />}>
        <NewRecordPage {...params} given={newRecord.useSearch().given} />
      </Suspense>
    );
  },
});

const importing = createRoute({
  getParentRoute: () => application,
  path: '/$collection/import',
  component: function Import() {
    const params = importing.useParams();
    return <ImportPage key={params.collection} {...params} />;
  },
});

const readSearch = ({ search }: Record<string, unknown>): { search?: string } =>
  search === undefined || search === '' ? {} : { search: String(search) };

const people = createRoute({
  getParentRoute: () => application,
  path: '/people',
  component: function People() {
    return <PeoplePage {...people.useParams()} />;
  },
});

const users = createRoute({
  getParentRoute: () => people,
  path: '/',
  validateSearch: readSearch,
  component: function Users() {
    return <UsersTab {...users.useParams()} search={users.useSearch().search ?? ''} />;
  },
});

const teams = createRoute({
  getParentRoute: () => people,
  path: '/teams',
  component: function Teams() {
    return <GroupsTab {...teams.useParams()} kind="teams" />;
  },
});

const profiles = createRoute({
  getParentRoute: () => people,
  path: '/profiles',
  component: function Profiles() {
    return <GroupsTab {...profiles.useParams()} kind="profiles" />;
  },
});

const sharedUsers = createRoute({
  getParentRoute: () => people,
  path: '/shared',
  validateSearch: readSearch,
  component: function SharedUsers() {
    return <SharedUsersTab {...sharedUsers.useParams()} search={sharedUsers.useSearch().search ?? ''} />;
  },
});

const user = createRoute({
  getParentRoute: () => application,
  path: '/people/users/$user',
  component: function OneUser() {
    const params = user.useParams();
    return <UserPage key={params.user} {...params} />;
  },
});

const newUser = createRoute({
  getParentRoute: () => application,
  path: '/people/new',
  component: function NewUser() {
    return <NewUserPage {...newUser.useParams()} />;
  },
});

const manyPeople = createRoute({
  getParentRoute: () => application,
  path: '/people/many',
  component: function ManyPeople() {
    return <ManyPeoplePage {...manyPeople.useParams()} />;
  },
});

const sharedUser = createRoute({
  getParentRoute: () => application,
  path: '/people/shared/$sharedUser',
  component: function OneSharedUser() {
    const params = sharedUser.useParams();
    return <SharedUserPage key={params.sharedUser} {...params} />;
  },
});

const newSharedUser = createRoute({
  getParentRoute: () => application,
  path: '/people/shared/new',
  component: function NewSharedUser() {
    return <NewSharedUserPage {...newSharedUser.useParams()} />;
  },
});

const me = createRoute({
  getParentRoute: () => application,
  path: '/me',
  component: function Me() {
    return <MePage {...me.useParams()} />;
  },
});

const routeTree = root.addChildren([
  choose,
  newPassword,
  designs,
  design,
  operate.addChildren([
    operatedApplications,
    operatedApplication,
    operatedPublish,
    operatedQuotas,
    operatedOrganizations,
    operatedHealth,
    operatedMaintenance,
  ]),
  application.addChildren([
    firstCollection,
    activity,
    notifications,
    collection,
    newRecord,
    importing,
    record,
    people.addChildren([users, teams, profiles, sharedUsers]),
    user,
    newUser,
    manyPeople,
    sharedUser,
    newSharedUser,
    me,
  ]),
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
