// What only managers see. Everybody else is told so, and nothing is asked of the server.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApplicationDefinition, Session } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { sessionQuery } from '../api/session.ts';
import { NotAllowed, NotFound } from '../frame/NotFound.tsx';
import { maySeePeople } from './may-see-people.ts';

export interface Manager {
  readonly application: string;
  readonly caller: Session;
  readonly definition: ApplicationDefinition;
}

interface ManagersProps {
  readonly application: string;
  /** Shared users are for those who manage the organization's, where there are any. */
  readonly shared?: boolean;
  readonly children: (manager: Manager) => ReactNode;
}

export const managesShared = ({ caller, definition }: Omit<Manager, 'application'>): boolean =>
  caller.organizationManagementApiAccess && definition.sharedUsersModeEnabled;

export function Managers({ application, shared = false, children }: ManagersProps) {
  const caller = useQuery(sessionQuery(application)).data;
  const definition = useQuery(definitionQuery(application)).data;
  if (caller == null || definition === undefined) return null;
  if (!maySeePeople(caller)) return <NotAllowed application={application} page="people" right="managementApiAccess" />;
  if (!shared || managesShared({ caller, definition })) return children({ application, caller, definition });
  if (!definition.sharedUsersModeEnabled) return <NotFound />;
  return <NotAllowed application={application} page="sharedUsers" right="organizationManagementApiAccess" />;
}
