// The sentences of the console in English, as ICU messages by subject. messages/ja.ts has the same keys.

import { activity } from './en/activity.ts';
import { columns } from './en/columns.ts';
import { common } from './en/common.ts';
import { conflict } from './en/conflict.ts';
import { design } from './en/design.ts';
import { editing } from './en/editing.ts';
import { frame } from './en/frame.ts';
import { grid } from './en/grid.ts';
import { health } from './en/health.ts';
import { history } from './en/history.ts';
import { keys } from './en/keys.ts';
import { kinds } from './en/kinds.ts';
import { location } from './en/location.ts';
import { maintenance } from './en/maintenance.ts';
import { many } from './en/many.ts';
import { me } from './en/me.ts';
import { moving } from './en/moving.ts';
import { newPassword } from './en/new-password.ts';
import { notifications } from './en/notifications.ts';
import { operate } from './en/operate.ts';
import { organizations } from './en/organizations.ts';
import { palette } from './en/palette.ts';
import { people } from './en/people.ts';
import { problems } from './en/problems.ts';
import { publish } from './en/publish.ts';
import { quotas } from './en/quotas.ts';
import { record } from './en/record.ts';
import { recordActivity } from './en/record-activity.ts';
import { referrers } from './en/referrers.ts';
import { requests } from './en/requests.ts';
import { search } from './en/search.ts';
import { signIn } from './en/sign-in.ts';
import { values } from './en/values.ts';
import { views } from './en/views.ts';

export const messages = {
  activity,
  columns,
  common,
  conflict,
  design,
  editing,
  frame,
  grid,
  health,
  history,
  kinds,
  location,
  maintenance,
  many,
  me,
  moving,
  newPassword,
  notifications,
  keys,
  operate,
  organizations,
  palette,
  people,
  problems,
  publish,
  quotas,
  record,
  recordActivity,
  referrers,
  requests,
  search,
  signIn,
  values,
  views,
};

export type Messages = typeof messages;
