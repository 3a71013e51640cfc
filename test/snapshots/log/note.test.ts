import { createHash } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import {
  formatNote,
  formatVerifierKey,
  judgeNote,
  parseNote,
  parseVerifierKey,
} from '../../../snapshots/log/notes/note.ts';
import { parsePolicy, judgeByPolicy } from '../../../snapshots/log/notes/policy.ts';

const bytes = (text: string) => Buffer.from(text);

/** The example of c2sp.org/signed-note, Verifier keys. */
const exampleKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const exampleNote = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;

describe('a signed note', () => {
  test('of the specification verifies with the key of the specification', () => {
    const note = parseNote(bytes(exampleNote), 'example');
    expect(judgeNote(note, parseVerifierKey(exampleKey))).toBe('valid');
    expect(formatNote(note)).toBe(exampleNote);
    expect(formatVerifierKey(parseVerifierKey(exampleKey))).toBe(exampleKey);
  });

  test('with another text is wrong, and without a signature of the key absent', () => {
    const key = parseVerifierKey(exampleKey);
    const altered = parseNote(bytes(exampleNote.replace('example message', 'other message')), 'example');
    expect(judgeNote(altered, key)).toBe('wrong');
    const renamed = parseNote(
      bytes(exampleNote.replace('— example.com/foo', '— example.com/bar')),
      'example',
    );
    expect(judgeNote(renamed, key)).toBe('absent');
  });

  test.for([
    ['no signature', 'text\n'],
    ['no blank line', 'text\n— name AAAAAAA=\n'],
    ['a control character', exampleNote.replace('example message', 'example\u0007message')],
    ['a signature that is no base64', 'text\n\n— name !!!!\n'],
    ['base64 that is not canonical', exampleNote.replace('yaQM=', 'yaQN=')],
    ['no newline at the end', exampleNote.trimEnd()],
    ['a line between signatures', `${exampleNote}other\n`],
  ])('with %s is refused', ([, text]) => {
    expect(() => parseNote(bytes(text!), 'the note')).toThrow(/^the note is not a signed note/);
  });

  test.for([exampleKey.replace('530d903a', '530d903b'), exampleKey.slice(0, -4), 'a b+00000000+AA=='])(
    'has an invalid key: %s',
    (vkey) => {
      expect(() => parseVerifierKey(vkey)).toThrow(/is not a verifier key|not that of the key/);
    },
  );
});

const signature = `— example.com/log ${Buffer.alloc(68, 1).toString('base64')}\n`;
const root = Buffer.alloc(32, 7).toString('base64');

test.for([
  ['a size with a leading zero', `example.com/log\n07\n${root}\n\n${signature}`],
  ['a size beyond 2^53', `example.com/log\n99999999999999999\n${root}\n\n${signature}`],
  ['a root that is too short', `example.com/log\n7\nAAAA\n\n${signature}`],
  ['an empty origin', `\n7\n${root}\n\n${signature}`],
  ['two lines only', `example.com/log\n7\n\n${signature}`],
])('a checkpoint with %s is refused', ([, text]) => {
  expect(() => parseCheckpoint(bytes(text!), 'it')).toThrow(/^it is not a/);
});

describe('a policy', () => {
  const keys = Array.from({ length: 3 }, (_, index) => vkeyOf(`witness.example/${index}`, index + 1));

  test('with groups requires their number of witnesses', () => {
    const policy = parsePolicy(
      [
        '# comment',
        `witness a ${keys[0]}`,
        `witness b ${keys[1]}`,
        `\twitness c ${keys[2]} https://c.example/`,
      ]
        .concat(['group two 2 a b', 'group all-of-them all two c', 'quorum all-of-them', ''])
        .join('\n'),
      'policy',
    );
    expect(policy.isQuorum(new Set(['a', 'b', 'c']))).toBe(true);
    expect(policy.isQuorum(new Set(['a', 'c']))).toBe(false);
    expect(policy.isQuorum(new Set(['a', 'b']))).toBe(false);
    const unsigned = { text: `example.com/log\n7\n${root}\n`, signatures: [] };
    expect(judgeByPolicy(policy, unsigned, 'example.com/log')).toMatchObject({
      hasQuorum: false,
      cosigned: [],
    });
  });

  test.for([
    ['no quorum', `witness a ${keys[0]}\n`],
    ['two quorums', 'quorum none\nquorum none\n'],
    ['a quorum of nobody', 'quorum a\n'],
    ['a witness twice', `witness a ${keys[0]}\nwitness b ${keys[0]}\nquorum a\n`],
    ['a name twice', `witness a ${keys[0]}\nwitness a ${keys[1]}\nquorum a\n`],
    ['a member of two groups', `witness a ${keys[0]}\ngroup g any a\ngroup h any a\nquorum h\n`],
    ['a threshold that cannot be met', `witness a ${keys[0]}\ngroup g 2 a\nquorum g\n`],
    ['a log with a key for cosignatures', `log ${keys[0]}\nquorum none\n`],
    ['a word of its own', 'monitor a\nquorum none\n'],
  ])('with %s is refused, and the line named', ([, text]) => {
    expect(() => parsePolicy(text!, 'policy')).toThrow(/^policy/);
  });
});

function vkeyOf(name: string, fill: number): string {
  // Any 32 bytes parse as an Ed25519 key in JWK form; these verify nothing.
  const material = Buffer.concat([Buffer.of(4), Buffer.alloc(32, fill)]);
  const id = createHash('sha256').update(`${name}\n`).update(material).digest('hex').slice(0, 8);
  return `${name}+${id}+${material.toString('base64')}`;
}
