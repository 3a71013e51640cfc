import { describe, expect, test } from 'vitest';
import { readParameters } from '../parameters.ts';
import { AUTHORITY, PUBLIC_KEY, example, parametersWith, readExample } from './deployed.ts';

test('the example is a complete deployment; all other parameters have defaults', () => {
  expect(parametersWith()).toMatchObject({
    region: 'eu-central-1',
    recordsAuthority: AUTHORITY,
    publicKey: PUBLIC_KEY,
    log: { origin: 'api.example.com/log', witnessUrls: [] },
    egress: 'addresses',
    lock: { mode: 'governance', days: 365 },
    records: { copies: 2 },
    weekly: { timeZone: 'Europe/Berlin', shards: 1, due: '0 6 * * 1', requireComplete: 90 },
  });
});

describe('parameters are refused with the name of the wrong one', () => {
  test('if there are none', () => {
    expect(() => readParameters(undefined)).toThrow('no deployment: write cdk.context.json');
  });

  test.each([
    [{ region: 'Frankfurt' }, 'sightline.region'],
    [{ regoin: 'eu-central-1' }, 'regoin'],
    [{ tag: undefined }, 'sightline.tag'],
    [{ weekly: { timeZone: 'Europe/Bielefeld' } }, 'sightline.weekly.timeZone: no time zone'],
    [{ weekly: { cron: '0 6 * * 1' } }, 'sightline.weekly.cron'],
    [{ weekly: { shards: 0 } }, 'sightline.weekly.shards'],
    [{ lock: { mode: 'none' } }, 'sightline.lock.mode'],
    [{ gateway: { fewest: 3, most: 2 } }, 'fewest is more than most'],
    [{ region: 'us-east-1' }, 'takes certificates of us-east-1 only'],
    [{ weekly: { due: '0 6 ? * MON *' } }, 'sightline.weekly.due'],
    [{ signingKeyArn: 'sightline/signing-key' }, 'sightline.signingKeyArn'],
    [
      { signingKeyArn: String(example['signingKeyArn']).replace('eu-central-1', 'eu-west-1') },
      'tasks in eu-central-1 take secrets of eu-central-1 only',
    ],
    [{ log: { origin: 'https://api.example.com/log' } }, 'sightline.log.origin'],
    [{ log: { origin: 'a.example/log', timestampUrl: 'ftp://a.example' } }, 'sightline.log.timestampUrl'],
    [{ egress: 'endpoints' }, 'no task reaches a witness or a timestampUrl'],
  ])('%j', (changes, message) => {
    expect(() => parametersWith(changes)).toThrow(message);
  });

  test.each([
    ['-----BEGIN CERTIFICATE-----', 'has no certificate'],
    [AUTHORITY.repeat(1000), 'is larger than'],
  ])('if the authority file is %.30s', (text, message) => {
    expect(() => readParameters(example, () => text)).toThrow(message);
  });

  test('if there are several public keys, which gateways refuse', () => {
    expect(() => readParameters(example, (path) => readExample(path).repeat(2))).toThrow(
      'sightline.publicKeyFile: sightline.public.pem has several keys, and a gateway trusts one',
    );
  });

  test('if the public key file has no public key', () => {
    expect(() => readParameters(example, () => AUTHORITY)).toThrow(
      'sightline.publicKeyFile: sightline.public.pem has no public key in PEM',
    );
  });

  test('if the authority file does not exist', () => {
    const elsewhere = { ...example, recordsAuthorityFile: 'not/there.pem' };
    expect(() => readParameters(elsewhere)).toThrow('not/there.pem cannot be read');
  });
});
