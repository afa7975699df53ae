// `cartulary notify`: a push notification to a user, by an admin.

import { findUserId } from '../records/lookups.ts';
import { type CommandRow, userCommand } from './row.ts';

interface NotifyOptions {
  readonly title?: string;
  readonly link?: string;
  readonly sound?: true;
}

export const NOTIFY_COMMANDS: readonly CommandRow[] = [
  userCommand<NotifyOptions>({
    usage: 'notify <user> <text>',
    summary: 'send a push notification to the devices of a user',
    options: [
      { flags: '--title <title>', text: 'title of the notification' },
      { flags: '--link <address>', text: 'what opens when the user taps it', member: 'url' },
      { flags: '--sound', text: 'play a sound' },
    ],
    details: 'Only admins may send notifications. Success means that it is queued, not that the user has read it.',
    examples: ["notify 'Naomi Sato' 'The roof is done' --title Visits"],
    run: async (session, { args: [given = '', text = ''], options: { title, link, sound } }) => {
      const userId = await findUserId(session, given);
      const body = {
        body: text,
        ...(title === undefined ? {} : { title }),
        ...(link === undefined ? {} : { url: link }),
        ...(sound ? { sound: 'default' as const } : {}),
      };
      await session.raw.sendNotification({ userId, body });
      console.log('Queued.');
    },
  }),
];
