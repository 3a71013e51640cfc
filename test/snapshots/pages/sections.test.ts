import { expect, test } from 'vitest';
import { competitorsSection } from '../../../snapshots/pages/sections/competitors.ts';
import { visibilitySection } from '../../../snapshots/pages/sections/visibility.ts';
import { engineHistories } from '../../../snapshots/pages/week.ts';
import { withoutEvidence } from '../evidence.ts';
import { weekOf } from '../weeks.ts';

const week = weekOf([{ named: [10, 10, 10], mentions: [50, 40, 30] }]);

function visibilityText(visibility: typeof week.documents.visibility): string {
  return visibilitySection(visibility, engineHistories([visibility])).text;
}

test('the visibility names the models, the answers and the counts without branded prompts', () => {
  const visibility = structuredClone(week.documents.visibility);
  const [mode, overviews, chatgpt] = visibility.perEngine;
  Object.assign(mode!, { models: ['m-1', 'm-2'], unbranded: { promptsAnswered: 18, promptsNamed: 8 } });
  Object.assign(overviews!, { answers: 60, unbranded: { promptsAnswered: 20, promptsNamed: 10 } });
  Object.assign(chatgpt!, { models: ['gpt'], unbranded: { promptsAnswered: 20, promptsNamed: 10 } });
  const text = visibilityText(visibility);
  expect(text).toContain('Models: Google AI Mode m-1, m-2; ChatGPT gpt.');
  expect(text).toContain('10 of 20 prompts, 60 answers<');
  expect(text.match(/10 of 20 prompts</g)).toHaveLength(2);
  expect(text).toContain('Named in prompts that do not contain “Acme”: Google AI Mode 8 of 18.');
});

test('the visibility of a week without these fields does not mention them', () => {
  const text = visibilityText(withoutEvidence(week.documents.visibility));
  expect(text).not.toMatch(/Models:|Named in prompts|answers<|undefined/);
});

test('the share of voice quotes the noise floor only if ties are judged by the intervals', () => {
  const { competitors } = week.documents;
  const floor = `Shares closer than ${competitors.noiseFloorPp} percentage points have no order.`;
  expect(competitorsSection(competitors).text).toContain(floor);
  const byPrompt = competitorsSection({ ...competitors, leadersByPrompt: ['Acme'] }).text;
  expect(byPrompt).toContain('Ties are judged prompt by prompt.');
  expect(byPrompt).not.toContain('have no order');
});
