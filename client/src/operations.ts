// The table of the interface's operations: how each is sent, and when it may be sent again. A test holds it against the
// OpenAPI document. The types of inputs and replies are in operation-types.ts.

export interface Operation {
  readonly method: 'GET' | 'HEAD' | 'OPTIONS' | 'POST' | 'PUT' | 'PATCH' | 'DELETE';
  /** Below the application's address. */
  readonly path: string;
  readonly query?: readonly string[];
  /** Members of the input that are sent as headers. */
  readonly headers?: Readonly<Record<string, string>>;
  readonly body?: 'json' | 'bytes';
  /** `stream`: the reply's body is left to the caller. */
  readonly reply: 'json' | 'none' | 'stream';
  /**
   * Whether the request may be sent again when nobody knows what became of it. `yes`: doing it twice is the same as once.
   * `keyed`: it carries an `Idempotency-Key`. `unconditional`: only without an `If-Match` or a `limit`, which would not
   * hold the second time. `no`: never.
   */
  readonly repeat: 'yes' | 'keyed' | 'unconditional' | 'no';
}

const COLLECTION = '/collections/{collectionId}';
const RECORDS = `${COLLECTION}/records`;
const RECORD = `${RECORDS}/{recordId}`;
const VIEWS = `${COLLECTION}/views`;
const VIEW = `${VIEWS}/{viewId}`;
const UPLOADS = `${COLLECTION}/uploads`;
const UPLOAD = `${UPLOADS}/{attachmentId}`;
const MANAGEMENT_USERS = '/management/users';
const MANAGEMENT_USER = `${MANAGEMENT_USERS}/{userId}`;
const SHARED_USERS = '/management/sharedUsers';
const SHARED_USER = `${SHARED_USERS}/{sharedUserId}`;
const DEVICES = '/users/{userId}/devices';
const SESSIONS = '/users/{userId}/sessions';
const TOKENS = '/users/{userId}/tokens';
const ACTIVITY_LOG = '/management/userActivityLogs';

const PERIOD = ['startDate', 'endDate'];
const ACTIVITY = ['userId', 'kind', 'collectionId', 'recordId', 'thumbnails'];
const PEOPLE = ['search', 'skip', 'limit'];
const CONSISTENT = { consistency: 'Cartulary-Consistency' };
const KEYED = { idempotencyKey: 'Idempotency-Key' };
const TUS = { tusResumable: 'Tus-Resumable' };

const get = (path: string, more: Partial<Operation> = {}): Operation => ({
  method: 'GET',
  path,
  reply: 'json',
  repeat: 'yes',
  ...more,
});
const send = (method: Operation['method'], path: string, more: Partial<Operation> = {}): Operation => ({
  method,
  path,
  body: 'json',
  reply: 'json',
  repeat: method === 'POST' ? 'no' : 'yes',
  ...more,
});
const remove = (path: string, more: Partial<Operation> = {}): Operation => ({
  method: 'DELETE',
  path,
  reply: 'none',
  repeat: 'yes',
  ...more,
});

const RECORD_OPERATIONS = {
  getOpenApiDocument: get('/openapi.json'),
  getApplication: get(''),
  listRecords: get(RECORDS, {
    headers: CONSISTENT,
    query: ['search', 'timezone', 'sortKey', 'sortOrder', 'sortColumnId', 'limit', 'skip', 'after'],
  }),
  getFigures: get(`${RECORDS}/figures`, { headers: CONSISTENT, query: ['search', 'timezone', 'groupBy', 'measure'] }),
  createRecords: send('POST', RECORDS, { headers: KEYED, repeat: 'keyed' }),
  updateRecords: send('PUT', RECORDS),
  upsertRecords: send('PATCH', `${RECORDS}/upsert/{upsertKeyColumnId}`),
  deleteRecords: remove(RECORDS, { query: ['search', 'timezone', 'limit'], reply: 'json', repeat: 'unconditional' }),
  getRecord: get(RECORD, { headers: { ...CONSISTENT, ifNoneMatch: 'If-None-Match' } }),
  updateRecord: send('PUT', RECORD, { headers: { ifMatch: 'If-Match' }, repeat: 'unconditional' }),
  deleteRecord: remove(RECORD, { headers: { ifMatch: 'If-Match' }, repeat: 'unconditional' }),
  listViews: get(VIEWS),
  createView: send('POST', VIEWS),
  getView: get(VIEW),
  updateView: send('PUT', VIEW),
  deleteView: remove(VIEW),
} as const satisfies Record<string, Operation>;

/** Bytes of an upload are sent once: what the server has of them decides how to go on (uploads.ts). */
const FILE_OPERATIONS = {
  uploadAttachment: send('POST', `${COLLECTION}/attachments`, {
    body: 'bytes',
    headers: {
      contentType: 'Content-Type',
      contentDisposition: 'Content-Disposition',
      creatorId: 'X-Service-CreatorId',
      ...KEYED,
    },
    repeat: 'keyed',
  }),
  downloadAttachment: get(`${COLLECTION}/attachments/{attachmentId}`, {
    query: ['size'],
    headers: {
      ifNoneMatch: 'If-None-Match',
      ifModifiedSince: 'If-Modified-Since',
      range: 'Range',
      ifRange: 'If-Range',
    },
    reply: 'stream',
  }),
  describeUploads: get(UPLOADS, { method: 'OPTIONS', reply: 'none' }),
  announceUpload: {
    method: 'POST',
    path: UPLOADS,
    headers: {
      ...TUS,
      uploadLength: 'Upload-Length',
      uploadMetadata: 'Upload-Metadata',
      creatorId: 'X-Service-CreatorId',
      ...KEYED,
    },
    reply: 'json',
    repeat: 'keyed',
  },
  getUpload: get(UPLOAD, { method: 'HEAD', headers: TUS, reply: 'none' }),
  appendToUpload: send('PATCH', UPLOAD, {
    body: 'bytes',
    headers: { ...TUS, uploadOffset: 'Upload-Offset' },
    reply: 'none',
    repeat: 'no',
  }),
  cancelUpload: remove(UPLOAD, { headers: TUS }),
  overrideUpload: send('POST', UPLOAD, {
    body: 'bytes',
    headers: { ...TUS, uploadOffset: 'Upload-Offset', method: 'X-HTTP-Method-Override' },
    reply: 'none',
  }),
} as const satisfies Record<string, Operation>;

const PEOPLE_OPERATIONS = {
  listUsers: get('/users', { query: PEOPLE }),
  listManagementUsers: get(MANAGEMENT_USERS, { query: PEOPLE }),
  createManagementUser: send('POST', MANAGEMENT_USERS),
  getManagementUser: get(MANAGEMENT_USER),
  updateManagementUser: send('PUT', MANAGEMENT_USER),
  deleteManagementUser: remove(MANAGEMENT_USER),
  createPasswordLink: send('POST', `${MANAGEMENT_USER}/passwordLink`),
  listProfiles: get('/management/profiles'),
  listTeams: get('/management/teams'),
  listSharedUsers: get(SHARED_USERS, { query: PEOPLE }),
  createSharedUser: send('POST', SHARED_USERS),
  getSharedUser: get(SHARED_USER),
  updateSharedUser: send('PUT', SHARED_USER),
  deleteSharedUser: remove(SHARED_USER),
  sendNotification: send('POST', '/users/{userId}/notifications', { headers: KEYED, reply: 'none', repeat: 'keyed' }),
  listDevices: get(DEVICES),
  registerDevice: send('POST', DEVICES),
  removeDevice: remove(`${DEVICES}/{deviceId}`),
  getPushKey: get('/pushKey'),
  listTokens: get(TOKENS),
  createToken: send('POST', TOKENS),
  revokeToken: remove(`${TOKENS}/{tokenId}`),
  listNotifications: get('/notifications', { query: ['limit', 'after'] }),
  exportActivityLog: get(ACTIVITY_LOG, { query: PERIOD, reply: 'stream' }),
  listActivity: get(`${ACTIVITY_LOG}/entries`, { query: [...PERIOD, ...ACTIVITY, 'limit', 'after'] }),
  getActivityFigures: get(`${ACTIVITY_LOG}/figures`, { query: [...PERIOD, 'timezone', ...ACTIVITY] }),
} as const satisfies Record<string, Operation>;

/** A password is presented once: presented again after it changed, it would count as a wrong one. */
const SESSION_OPERATIONS = {
  signIn: send('POST', '/session'),
  getSession: get('/session'),
  endSession: remove('/session', { repeat: 'no' }),
  listSessions: get(SESSIONS),
  endOtherSessions: remove(SESSIONS),
  endUserSession: remove(`${SESSIONS}/{sessionId}`),
  getSignInMethods: get('/session/methods'),
  requestPasswordReset: send('POST', '/session/passwordReset', { reply: 'none' }),
  resetPassword: send('PUT', '/session/passwordReset', { reply: 'none', repeat: 'no' }),
  changePassword: send('PUT', '/session/password', { reply: 'none', repeat: 'no' }),
} as const satisfies Record<string, Operation>;

export const OPERATIONS = {
  ...RECORD_OPERATIONS,
  ...FILE_OPERATIONS,
  ...PEOPLE_OPERATIONS,
  ...SESSION_OPERATIONS,
} as const;

export type OperationName = keyof typeof OPERATIONS;
