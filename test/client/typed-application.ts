// The types of "Test" (p00000000000000000000000000), made with `cartulary types`. Make them anew after publishing.

import type { Column, ReferenceTo } from '../../client/src/typed.ts';

export interface Test {
  Sites: {
    Name: Column<'String', 'sortable' | 'searchable'>;
    Code: Column<'String', 'unique' | 'sortable' | 'searchable'>;
    Floors: Column<'Number', 'sortable' | 'searchable'>;
  };
  Visits: {
    Title: Column<'String', 'sortable' | 'searchable'>;
    Number: Column<'Number', 'unique' | 'sortable' | 'searchable'>;
    Passed: Column<'Boolean', 'sortable' | 'searchable'>;
    Started: Column<'DateTime', 'sortable' | 'searchable'>;
    Day: Column<'Date', 'sortable' | 'searchable'>;
    Opens: Column<'Time', 'sortable' | 'searchable'>;
    Place: Column<'Location'>;
    Inspector: Column<'User', 'sortable' | 'searchable'>;
    Photo: Column<'Attachment'>;
    Address: Column<{ City: 'String'; Since: 'DateTime' }>;
    Tags: Column<'String'[]>;
    Parts: Column<{ Name: 'String' }[]>;
    Site: Column<ReferenceTo<'Sites', 'String'>, 'sortable' | 'searchable'>;
  };
}
