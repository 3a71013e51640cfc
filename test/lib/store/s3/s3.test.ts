/** @module-tag slow */
import { randomBytes } from 'node:crypto';
import { readFile, truncate, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, onTestFinished, test } from 'vitest';
import { temporaryFolder } from '../../../support/folder.ts';
import { describeEachS3, describeS3, makeBucket } from '../../../support/s3-server.ts';

const bytes = (text: string) => Buffer.from(text);

describeEachS3('an S3 store', (bucket) => {
  test('lists more objects and folders than one response contains, in order', async () => {
    const store = bucket().store('many');
    const names = Array.from({ length: 1100 }, (_, index) => String(index).padStart(5, '0'));
    await Promise.all(names.map((name) => store.create(`folder/${name}/in`, bytes(name))));
    const listed = await Array.fromAsync(store.list('folder/'), ({ key }) => key);
    expect(listed).toEqual(names.map((name) => `folder/${name}/in`));
    expect(await store.folders('folder/')).toEqual(names);
  });

  test('streams a large file in both directions, and fetches it once', async () => {
    const folder = await temporaryFolder();
    const content = randomBytes(9 << 20);
    await writeFile(join(folder, 'large'), content);
    const store = bucket().store('large');
    expect(await store.createFromFile('a/large', join(folder, 'large'))).toBe(true);
    expect(await store.createFromFile('a/large', join(folder, 'large'))).toBe(false);
    const local = await store.localFile('a/large', folder);
    expect(content.equals(await readFile(local!))).toBe(true);
    await writeFile(local!, 'already here');
    expect(await store.localFile('a/large', folder)).toBe(local);
    expect(await readFile(local!, 'utf8')).toBe('already here');
    await truncate(local!, 5 * 1024 ** 3 + 1);
    await expect(store.createFromFile('a/huge', local!)).rejects.toThrow(/ is larger than 5 GiB, the limit /);
  });
});

describeS3('an S3 server that checks credentials', () => {
  test('reports wrong or missing credentials, without showing them', async () => {
    const bucket = await makeBucket();
    onTestFinished(() => bucket.remove());
    const { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY } = bucket.environment;
    onTestFinished(() => void Object.assign(process.env, { AWS_ACCESS_KEY_ID, AWS_SECRET_ACCESS_KEY }));
    process.env['AWS_SECRET_ACCESS_KEY'] = 'hunter2hunter2';
    const refused = await bucket.store().get('x').catch(String);
    expect(refused).toContain('refuses the credentials');
    expect(refused).not.toContain('hunter2');
    process.env['AWS_ACCESS_KEY_ID'] = 'nobody-we-know';
    const unknown = await bucket.store().check().catch(String);
    expect(unknown).toContain('access denied');
    expect(unknown).not.toContain('nobody-we-know');
    delete process.env['AWS_ACCESS_KEY_ID'];
    process.env['AWS_EC2_METADATA_DISABLED'] = 'true';
    await expect(bucket.store().get('x')).rejects.toThrow(/^no credentials for s3:\/\/.*AWS_ACCESS_KEY_ID/);
  });
});
