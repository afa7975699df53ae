// The sentences of the console in Japanese, with the keys of messages/en.ts.

import type { Messages } from './en.ts';
import { activity } from './ja/activity.ts';
import { columns } from './ja/columns.ts';
import { common } from './ja/common.ts';
import { conflict } from './ja/conflict.ts';
import { design } from './ja/design.ts';
import { editing } from './ja/editing.ts';
import { frame } from './ja/frame.ts';
import { grid } from './ja/grid.ts';
import { health } from './ja/health.ts';
import { history } from './ja/history.ts';
import { keys } from './ja/keys.ts';
import { kinds } from './ja/kinds.ts';
import { location } from './ja/location.ts';
import { maintenance } from './ja/maintenance.ts';
import { many } from './ja/many.ts';
import { me } from './ja/me.ts';
import { moving } from './ja/moving.ts';
import { newPassword } from './ja/new-password.ts';
import { notifications } from './ja/notifications.ts';
import { operate } from './ja/operate.ts';
import { organizations } from './ja/organizations.ts';
import { palette } from './ja/palette.ts';
import { people } from './ja/people.ts';
import { problems } from './ja/problems.ts';
import { publish } from './ja/publish.ts';
import { quotas } from './ja/quotas.ts';
import { record } from './ja/record.ts';
import { recordActivity } from './ja/record-activity.ts';
import { referrers } from './ja/referrers.ts';
import { requests } from './ja/requests.ts';
import { search } from './ja/search.ts';
import { signIn } from './ja/sign-in.ts';
import { values } from './ja/values.ts';
import { views } from './ja/views.ts';

export const messages: Messages = {
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
