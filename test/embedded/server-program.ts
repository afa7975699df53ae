// A program that the tests start as another process (as another account, to be killed, to be raced): it starts the bundled
// PostgreSQL on the folder it is given and tells its parent what happens, one JSON line per event.
import { startEmbedded } from '../../src/embedded/start.ts';

const say = (event: string, detail: Record<string, unknown> = {}) => console.log(JSON.stringify({ event, ...detail }));

async function serve(folder: string): Promise<void> {
  const begun = performance.now();
  const server = await startEmbedded({
    folder,
    print: (line) => say('print', { line }),
    onRestart: (reason) => say('restart', { reason, pid: server.pid }),
  });
  const stop = async () => {
    await server.stop();
    say('stopped');
    process.exit(0);
  };
  process.once('SIGTERM', stop);
  process.once('SIGINT', stop);
  say('ready', { pid: server.pid, connection: server.connection, ms: Math.round(performance.now() - begun) });
}

const folder = process.argv[2];
if (folder === '--reachable') say('reachable');
else if (folder) {
  serve(folder).catch((error: Error & { pid?: number }) => {
    say('failed', { name: error.name, message: error.message, pid: error.pid });
    process.exitCode = 1;
  });
}
