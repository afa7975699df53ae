// What the activity log tells of (`type.subType`), in the order in which people choose it.

export const ACTIVITY_KINDS = [
  'record.create',
  'record.update',
  'record.delete',
  'attachment.create',
  'attachment.download',
  'session.login',
  'session.loginFailed',
  'session.logout',
  'user.create',
  'user.update',
  'user.delete',
  'user.passwordLink',
  'sharedUser.create',
  'sharedUser.update',
  'sharedUser.delete',
  'token.create',
  'token.revoke',
  'notification.send',
  'application.publish',
  'operator.name',
  'operator.unname',
  'activityLog.export',
] as const;
export type ActivityKind = (typeof ACTIVITY_KINDS)[number];
