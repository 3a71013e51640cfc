import { Failure } from '../../../lib/failure.ts';
import {
  COSIGNATURE,
  COSIGNATURE_ML_DSA_44,
  ED25519,
  cosignedAt,
  isBy,
  judgeNote,
  parseVerifierKey,
} from './note.ts';
import type { Note, SignatureType, VerifierKey } from './note.ts';

/** The trusted logs, and the witnesses whose cosignatures a checkpoint needs (c2sp.org/tlog-policy). */
export interface Policy {
  logs: VerifierKey[];
  witnesses: { name: string; key: VerifierKey }[];
  /** True if cosignatures of the witnesses with these names are a quorum. */
  isQuorum(names: ReadonlySet<string>): boolean;
}

type Rule = (names: ReadonlySet<string>) => boolean;

/** @param name of the file, for the message. @throws Failure that names the malformed line. */
export function parsePolicy(text: string, name: string): Policy {
  const policy: Omit<Policy, 'isQuorum'> = { logs: [], witnesses: [] };
  const rules = new Map<string, Rule>();
  const members = new Set<string>();
  let quorum: Rule | null = null;
  for (const [index, line] of text.split('\n').entries()) {
    const fail = (reason: string) => new Failure(`${name}, line ${index + 1}: ${reason}`);
    const [kind, ...items] = line.split(/[ \t]+/).filter((item) => item !== '');
    if (kind === undefined || kind.startsWith('#')) continue;
    if (kind === 'log') addLog(policy, items, fail);
    else if (kind === 'witness') rules.set(...addWitness(policy, items, rules, fail));
    else if (kind === 'group') rules.set(...groupOf(items, rules, members, fail));
    else if (kind !== 'quorum')
      throw fail(`expected log, witness, group or quorum, not ${JSON.stringify(kind)}`);
    else if (quorum !== null) throw fail('there is more than one quorum');
    else quorum = quorumOf(items, rules, fail);
  }
  if (quorum === null) throw new Failure(`${name} has no quorum line`);
  return { ...policy, isQuorum: quorum };
}

type Fail = (reason: string) => Failure;

function addLog({ logs }: Omit<Policy, 'isQuorum'>, items: string[], fail: Fail): void {
  const [vkey, _url, ...rest] = items;
  if (vkey === undefined || rest.length > 0) throw fail('expected: log VKEY [URL]');
  const key = keyOf(vkey, [ED25519], fail);
  if (logs.some(({ publicKey }) => publicKey.equals(key.publicKey))) throw fail('this log is listed twice');
  logs.push(key);
}

function addWitness(
  { witnesses }: Omit<Policy, 'isQuorum'>,
  items: string[],
  rules: ReadonlyMap<string, Rule>,
  fail: Fail,
): [string, Rule] {
  const [name, vkey, _url, ...rest] = items;
  if (name === undefined || vkey === undefined || rest.length > 0)
    throw fail('expected: witness NAME VKEY [URL]');
  refuseTaken(name, rules, fail);
  const key = keyOf(vkey, [COSIGNATURE, COSIGNATURE_ML_DSA_44], fail);
  if (witnesses.some((witness) => witness.key.publicKey.equals(key.publicKey)))
    throw fail('this witness is listed twice');
  witnesses.push({ name, key });
  return [name, (names) => names.has(name)];
}

function groupOf(
  items: string[],
  rules: ReadonlyMap<string, Rule>,
  members: Set<string>,
  fail: Fail,
): [string, Rule] {
  const [name, threshold, ...names] = items;
  if (name === undefined || threshold === undefined || names.length === 0)
    throw fail('expected: group NAME all|any|COUNT NAME...');
  refuseTaken(name, rules, fail);
  const needed = threshold === 'all' ? names.length : threshold === 'any' ? 1 : Number(threshold);
  if (!/^(?:all|any|[1-9]\d*)$/.test(threshold) || needed > names.length)
    throw fail(`expected all, any, or a count up to ${names.length}`);
  const parts = names.map((member) => {
    const rule = rules.get(member);
    if (rule === undefined) throw fail(`${member} is not defined before this line`);
    if (members.has(member)) throw fail(`${member} is a member of another group already`);
    members.add(member);
    return rule;
  });
  return [name, (cosigned) => parts.filter((rule) => rule(cosigned)).length >= needed];
}

function quorumOf(items: string[], rules: ReadonlyMap<string, Rule>, fail: Fail): Rule {
  const [name, ...rest] = items;
  if (name === undefined || rest.length > 0) throw fail('expected: quorum NAME');
  const rule = name === 'none' ? () => true : rules.get(name);
  if (rule === undefined) throw fail(`${name} is not defined before this line`);
  return rule;
}

function refuseTaken(name: string, rules: ReadonlyMap<string, Rule>, fail: Fail): void {
  if (name === 'none' || rules.has(name)) throw fail(`the name ${name} is taken`);
}

function keyOf(vkey: string, types: readonly SignatureType[], fail: Fail): VerifierKey {
  const key = parseVerifierKey(vkey);
  if (!types.includes(key.type))
    throw fail(`${key.name} has a key of type ${key.type}; expected type ${types.join(' or ')}`);
  return key;
}

export interface PolicyVerdict {
  /** A log of the policy signed it, under its origin. */
  isSignedByLog: boolean;
  hasQuorum: boolean;
  /** The witnesses that cosigned, and when (seconds since the Unix epoch). */
  cosigned: { name: string; seconds: bigint }[];
  /** Names of keys whose signature does not verify: the checkpoint must be rejected. */
  wrong: string[];
}

/** @param origin the origin in the checkpoint */
export function judgeByPolicy(policy: Policy, note: Note, origin: string): PolicyVerdict {
  const logs = policy.logs.filter(({ name }) => name === origin);
  const cosigned = policy.witnesses.flatMap(({ name, key }) => {
    const line = note.signatures.find((signature) => isBy(signature, key));
    const isValid = line !== undefined && judgeNote(note, key) === 'valid';
    return isValid ? [{ name, seconds: cosignedAt(line.bytes) }] : [];
  });
  const keys = [...policy.witnesses.map(({ key }) => key), ...logs];
  return {
    // A policy without logs accepts any log: the caller decides.
    isSignedByLog: policy.logs.length === 0 || logs.some((key) => judgeNote(note, key) === 'valid'),
    hasQuorum: policy.isQuorum(new Set(cosigned.map(({ name }) => name))),
    cosigned,
    wrong: keys.filter((key) => judgeNote(note, key) === 'wrong').map(({ name }) => name),
  };
}
