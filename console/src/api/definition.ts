// The definition of the application: its collections and columns.

import { queryOptions } from '@tanstack/react-query';
import { type ApplicationDefinition, type CollectionDefinition, clientOf } from './client.ts';

export const definitionQuery = (application: string) =>
  queryOptions({
    queryKey: [application, 'definition'],
    queryFn: () => clientOf(application).definition({ refresh: true }),
    staleTime: 60_000,
  });

export const collectionOf = (definition: ApplicationDefinition, id: string): CollectionDefinition | undefined =>
  definition.collections.find((collection) => collection.id === id);
