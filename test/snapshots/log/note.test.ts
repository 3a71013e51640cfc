import { createPublicKey } from 'node:crypto';
import { describe, expect, test } from 'vitest';
import { parseCheckpoint } from '../../../snapshots/log/notes/checkpoint.ts';
import {
  formatNote,
  formatVerifierKey,
  judgeNote,
  parseNote,
  verifierKey,
} from '../../../snapshots/log/notes/note.ts';

const bytes = (text: string) => Buffer.from(text);

/** The example of c2sp.org/signed-note, Verifier keys. */
const exampleKey = 'example.com/foo+530d903a+AekyeRrm56hApGFkyQR4ZCbV54Id2LKaANYcrnKv3U2k';
const key = verifierKey(
  'example.com/foo',
  createPublicKey({
    key: {
      kty: 'OKP',
      crv: 'Ed25519',
      x: Buffer.from(exampleKey.split('+').slice(2).join('+'), 'base64').subarray(1).toString('base64url'),
    },
    format: 'jwk',
  }),
);
const exampleNote = `This is an example message.

— example.com/foo Uw2QOkn8srV1yJGh2VYRlL1Tnagv1YEq6TfXppzi2ONncAlTgK7Ztg1ERYNZXsYjOBH3mFXmRKuwHjG1Yu72IneyaQM=
`;

describe('a signed note', () => {
  test('of the specification verifies with the key of the specification', () => {
    const note = parseNote(bytes(exampleNote), 'example');
    expect(judgeNote(note, key)).toBe('valid');
    expect(formatNote(note)).toBe(exampleNote);
    expect(formatVerifierKey(key)).toBe(exampleKey);
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
