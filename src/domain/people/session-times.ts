// How long a session of the console lives, and how often its secret changes.

const MINUTE_MS = 60_000;

/** However much it is used. */
export const SESSION_DAYS_MAX = 30;

/** Since it was last seen in use, which is noted with every change of the secret. */
export const SESSION_IDLE_MS = 24 * 60 * MINUTE_MS;
export const ROTATION_MS = 15 * MINUTE_MS;
/** For how long the former secret is taken once the client has shown the new one. */
export const FORMER_MS = MINUTE_MS;
