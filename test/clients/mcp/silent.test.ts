import { expect, test } from 'vitest';
import { firstWords, silentWeeks, weekWithout, wronglyCalm } from '../../lib/weeks/silent-weeks.ts';
import { engines } from '../../snapshots/weeks.ts';
import { describeWithClients } from '../tools.ts';
import { startAssistant } from './mcp.ts';
import { exampleDocuments, startWorkspace } from './workspace.ts';

describeWithClients('an assistant', () => {
  test.each(silentWeeks)('if %s: hears it first, and never that it is as usual', async (_, shown, silent) => {
    const workspace = await startWorkspace();
    const { competitors, results, visibility } = shown;
    const brand = { ...shown.brand, createdAt: '2026-01-05T00:00:00.000Z' };
    const published = { ...exampleDocuments, brands: [brand], competitors, results };
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
      expect(wronglyCalm(inWords!, silent)).toEqual([]);
      expect(calm.length > 0).toBe(silent.length < engines.length);
    }
  });
});
