import { existsSync } from 'node:fs';
import { stat } from 'node:fs/promises';
import type { Config } from '../../lib/config.ts';
import { examine, failure, ok, skipped, warning } from './finding.ts';
import type { Finding } from './finding.ts';
import { USUAL_PUBLIC_KEY, configuredTrust } from '../../snapshots/log/identity.ts';
import { USUAL_PRIVATE_KEY } from '../../snapshots/log/write/parts.ts';
import { configuredSigner, readSigner } from '../../snapshots/signing.ts';
import type { Signer, Trust } from '../../snapshots/signing.ts';

const SIGNING = 'signing key';
const PUBLIC = 'public keys';
const FILES = '"npm run audit -- keygen" makes a pair; correct SIGNING_KEY_FILE and PUBLIC_KEY_FILE';

/** The keys that are configured, compared with each other and with the log. */
export async function examineKeys(config: Config, next: string | null): Promise<Finding[]> {
  const { SIGNING_KEY, PUBLIC_KEY } = config;
  const signingFile = config.SIGNING_KEY_FILE ?? (SIGNING_KEY === undefined ? USUAL_PRIVATE_KEY : undefined);
  const publicFile = config.PUBLIC_KEY_FILE ?? (PUBLIC_KEY === undefined ? USUAL_PUBLIC_KEY : 'PUBLIC_KEY');
  let [signer, trust]: [Signer | null, Trust | null] = [null, null];
  const findings = [
    ...(await examine(SIGNING, FILES, async () => {
      const usual = existsSync(USUAL_PRIVATE_KEY) ? await readSigner(USUAL_PRIVATE_KEY, SIGNING) : null;
      signer = (await configuredSigner(config)) ?? usual;
      if (signer === null) return skipped(SIGNING, 'not set: this machine signs nothing');
      const place =
        signingFile === undefined
          ? ok(SIGNING, 'SIGNING_KEY can be read')
          : judgeMode(signingFile, (await stat(signingFile)).mode);
      return [place, ...judgeSigner(signer, next)];
    })),
    ...(await examine(PUBLIC, FILES, async () => {
      trust = (await configuredTrust(config)) ?? null;
      if (trust === null) return skipped(PUBLIC, 'not set: signatures are not checked');
      return ok(PUBLIC, `${publicFile} contains ${trust.size}`);
    })),
  ];
  return [...findings, ...judgePair(signer, trust)];
}

function judgeMode(path: string, mode: number): Finding {
  const permissions = (mode & 0o777).toString(8).padStart(4, '0');
  const found = `${path} can be read, mode ${permissions}`;
  const remedy = `chmod 600 ${path}; if another user may have read it, make a new key`;
  if ((mode & 0o007) !== 0)
    return failure(SIGNING, `${found}: readable by all users of this machine`, remedy);
  return (mode & 0o070) !== 0 ? warning(SIGNING, `${found}: for its group too`, remedy) : ok(SIGNING, found);
}

/** @param next the fingerprint of the key that signs the next commit, which the lake remembers; null if unknown */
function judgeSigner({ fingerprint }: Signer, next: string | null): Finding[] {
  if (next === null) return [];
  const subject = 'signing key: log';
  if (next === fingerprint) return [ok(subject, 'it signs the log')];
  const found = `the log is signed with another key, ${next.slice(0, 16)}…`;
  return [failure(subject, found, 'set SIGNING_KEY_FILE to the key that signs; "audit rotate" changes it')];
}

function judgePair(signer: Signer | null, trust: Trust | null): Finding[] {
  if (signer === null || trust === null) return [];
  const subject = 'public keys: pair';
  if (trust.has(signer.fingerprint)) return [ok(subject, 'the signing key is trusted')];
  return [
    failure(
      subject,
      'the key of SIGNING_KEY_FILE is not among those of PUBLIC_KEY_FILE',
      'give auditors and gateways its public key (docs/procedures.md), or they will refuse the next snapshot',
    ),
  ];
}
