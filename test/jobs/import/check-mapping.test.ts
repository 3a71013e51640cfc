import { writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { expect, test } from 'vitest';
import { checkMapping } from '../../../jobs/import/check-mapping.ts';
import { temporaryFolder } from '../../support/folder.ts';

const golden = join(import.meta.dirname, 'golden');

test('fields that a vendor added are listed, nested ones too, and those that it removed', async () => {
  const from = [join(await temporaryFolder(), 'answers.json')];
  const answer = {
    run_id: 'r',
    date: '2026-11-16',
    model: { name: 'ChatGPT', family: 'gpt' },
    mentions: [{ name: 'Acme' }],
    tags: [{ id: 't', name: 'crm' }],
  };
  await writeFile(from[0]!, JSON.stringify({ info: { total_results: 1, cost: 3 }, data: [answer] }));
  const check = await checkMapping('profound', from);
  expect(check.unread).toEqual([
    'answers: info.cost',
    'answers: data[].model.family',
    'answers: data[].mentions[].name',
  ]);
  expect(check.notFound).toContainEqual({ field: 'answers: data[].mentions[]', isOptional: false });
  expect(check.notFound).toContainEqual({ field: 'answers: info.next_cursor', isOptional: true });
  expect(check.notFound).not.toContainEqual(expect.objectContaining({ field: 'answers: data[].run_id' }));
});

test.each(['otterly', 'peec', 'profound'])(
  'the sample of %s has every field that its mapping needs',
  async (name) => {
    const { notFound } = await checkMapping(name, [join(golden, name, 'from')]);
    expect(notFound.filter(({ isOptional }) => !isOptional)).toEqual([]);
  },
);
