// Why our own code could not provide a connection. What `pg` throws is recognised in driver.ts, SQLSTATEs in sqlstate.ts.

/** The database counts as unavailable. */
export class ConnectionFailure extends Error {}

export class ConnectionTimeout extends ConnectionFailure {
  constructor(milliseconds: number) {
    super(`no connection became free within ${milliseconds} ms`);
  }
}

export class ConnectionsClosed extends ConnectionFailure {
  constructor() {
    super('the connections to the database are closed');
  }
}
