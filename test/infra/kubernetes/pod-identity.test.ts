import { once } from 'node:events';
import { writeFile } from 'node:fs/promises';
import { createServer } from 'node:http';
import type { IncomingMessage } from 'node:http';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { auditIn } from '../../snapshots/audit-program.ts';
import { workspaceIds } from '../../snapshots/history.ts';
import { publishWeek, testLog } from '../../snapshots/publish.ts';
import { temporaryFolder } from '../../support/folder.ts';
import { describeS3, makeBucket } from '../../support/s3-server.ts';

/** Simulates the agent of EKS Pod Identity: returns credentials for the token of the service account. */
async function startAgent(credentials: Record<string, string>) {
  const asked: IncomingMessage[] = [];
  const agent = createServer((request, response) => {
    asked.push(request);
    const isKnown = request.headers.authorization === 'token-of-the-service-account';
    response.writeHead(isKnown ? 200 : 403, { 'Content-Type': 'application/json' });
    response.end(JSON.stringify(isKnown ? credentials : {}));
  });
  agent.listen(0, '127.0.0.1');
  await once(agent, 'listening');
  onTestFinished(() => void agent.close());
  return { url: `http://127.0.0.1:${(agent.address() as AddressInfo).port}/v1/credentials`, asked };
}

describeS3('a pod with a role of EKS Pod Identity', () => {
  test('gets its credentials for S3 from the agent, with the token that is mounted', async () => {
    const bucket = await makeBucket();
    onTestFinished(() => bucket.remove());
    const folder = await temporaryFolder();
    const store = bucket.store('store');
    const log = await testLog(folder);
    await publishWeek({ ...log, store }, workspaceIds[0], '2026-11-16');
    store.close();
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY, ...others } = bucket.environment;
    const agent = await startAgent({
      AccessKeyId: AWS_ACCESS_KEY_ID!,
      SecretAccessKey: AWS_SECRET_ACCESS_KEY!,
      Token: '', // the S3 server of the tests has no session tokens
      Expiration: new Date(Date.now() + 3_600_000).toISOString(),
    });
    const settings = {
      ...others,
      AWS_ACCESS_KEY_ID: '',
      AWS_SECRET_ACCESS_KEY: '',
      // Set as the webhook of EKS does.
      AWS_CONTAINER_CREDENTIALS_FULL_URI: agent.url,
      AWS_CONTAINER_AUTHORIZATION_TOKEN_FILE: join(folder, 'eks-pod-identity-token'),
      STORE_URL: bucket.location('store').url,
      PUBLIC_KEY_FILE: log.keys.publicKey,
    };
    await writeFile(join(folder, 'eks-pod-identity-token'), 'token-of-the-service-account');
    expect(await auditIn(folder, settings, 'verify')).toMatchObject({ status: 0, complaint: '' });
    expect(agent.asked.length).toBeGreaterThan(0);
    await writeFile(join(folder, 'eks-pod-identity-token'), 'token-of-another');
    expect(await auditIn(folder, settings, 'verify')).toMatchObject({ status: 3, output: '' });
  });
});
