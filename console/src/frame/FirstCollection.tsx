// An application's address leads to its first collection: people come for records.

import { useQuery } from '@tanstack/react-query';
import { Navigate } from '@tanstack/react-router';
import { definitionQuery } from '../api/definition.ts';
import { NotFound } from './NotFound.tsx';

export function FirstCollection({ application }: { readonly application: string }) {
  const [first] = useQuery(definitionQuery(application)).data?.collections ?? [];
  if (first === undefined) return <NotFound reason="noCollections" />;
  return <Navigate to="/$application/$collection" params={{ application, collection: first.id }} search={{}} replace />;
}
