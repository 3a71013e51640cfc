import { expect, test } from 'vitest';
import { engineName } from '../../../lib/weeks/words.ts';
import { silentWeeks, weekWithout } from '../../lib/weeks/silent-weeks.ts';
import { engines } from '../../snapshots/weeks.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import { exampleDocuments, startWorkspace } from './workspace.ts';

const firstWords = /has not answered since|have not answered since|has never answered|No engine has/;

describeWithClients('an assistant', () => {
  test.each(silentWeeks)('if %s: hears it first, and never that it is as usual', async (_, shown, silent) => {
    const workspace = await startWorkspace();
    const { brand, competitors, results, visibility } = shown;
    const published = { ...exampleDocuments, brands: [brand], competitors: competitors!, results: results! };
    const { visibility: before } = weekWithout([]);
    const weekBefore = new Date(Date.parse(shown.asOf) - 7 * 86_400_000).toISOString();
    await workspace.publish(weekBefore.slice(0, 10), { ...published, visibility: before });
    await workspace.publish(shown.asOf.slice(0, 10), { ...published, visibility });
    const assistant = await startAssistant(workspace.server);
    const document = await assistant.call('get_document', { brand: brand.id, document: 'visibility' });
    const compared = await assistant.call('compare_weeks', { brand: brand.id });
    for (const { inWords } of [document, compared]) {
      expect(inWords![0]).toMatch(firstWords);
      const calm = inWords!.filter((sentence) => sentence.includes('usual range'));
      const names = silent.map(engineName);
      const wrong = (sentence: string) =>
        sentence.startsWith('Every engine') || names.some((name) => sentence.includes(name));
      expect(calm.filter(wrong)).toEqual([]);
      expect(calm.length > 0).toBe(silent.length < engines.length);
    }
  });
});
