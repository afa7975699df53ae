// Who may see the pages about people.

import type { Session } from '../../../client/src/shapes.ts';

export const maySeePeople = ({ managementApiAccess }: Session): boolean => managementApiAccess;
