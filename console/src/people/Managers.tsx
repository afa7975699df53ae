// What only managers see. For everybody else the address leads nowhere, and nothing is asked of the server.

import { useQuery } from '@tanstack/react-query';
import type { ReactNode } from 'react';
import type { ApplicationDefinition, Session } from '../api/client.ts';
import { definitionQuery } from '../api/definition.ts';
import { sessionQuery } from '../api/session.ts';
import { NotFound } from '../frame/NotFound.tsx';
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
  const allowed = shared ? managesShared({ caller, definition }) : maySeePeople(caller);
  return allowed ? children({ application, caller, definition }) : <NotFound />;
}
