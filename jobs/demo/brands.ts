import type { EngineSlug } from '../../lib/methodology/constants.ts';
import { companyOf, dieOf, idOf } from './draws.ts';
import type { Company } from './draws.ts';
import { industries, questions } from './lists.ts';
import type { Industry } from './lists.ts';
import { DAY, WEEK, workspaceIdOf } from './story.ts';
import type { Story } from './story.ts';

export interface Brand extends Company {
  number: number;
  id: string;
  workspaceId: string;
  industry: Industry;
  /** Its first cycle, counted from the first of the drop. */
  firstWeek: number;
  /** The engine whose score falls out of its drift band in the last week. */
  fallenEngine: EngineSlug | null;
  createdAt: number;
  /** First its tracked competitors, then companies that nobody tracks. */
  rivals: Rival[];
  prompts: Prompt[];
}

export interface Rival extends Company {
  /** Null unless it is a tracked competitor. */
  id: string | null;
  /** How many of a thousand answers name it, before what its prompt and engine make of it. */
  strength: number;
}

export interface Prompt {
  id: string;
  text: string;
  tags: string[];
  isActive: boolean;
  firstWeek: number;
  /** The first week in which it is no longer put to engines. */
  endWeek: number;
  createdAt: number;
}

const MINUTE = 60_000;
const RIVALS = 24;

export function brandOf(number: number, story: Story): Brand {
  const { seed, brands, workspaces, cycles, firstCycle, firstName } = story;
  const label = `brand ${seed} ${number}`;
  const die = dieOf(label);
  const workspace = Math.floor((number * workspaces) / brands);
  const place = number - Math.ceil((workspace * brands) / workspaces);
  const industry = industries[number % industries.length]!;
  const firstWeek = number === story.newBrand ? Math.max(cycles - 3, 0) : 0;
  const { fallenEngines } = story;
  const brand: Omit<Brand, 'prompts'> = {
    // Each industry has 24 companies that are nobody's brand.
    ...companyOf(firstName + RIVALS * industries.length + number, industry.suffix),
    number,
    id: idOf(label),
    workspaceId: workspaceIdOf(seed, workspace),
    industry,
    firstWeek,
    fallenEngine: place === story.fallenPlace ? fallenEngines[workspace % fallenEngines.length]! : null,
    createdAt: firstCycle + firstWeek * WEEK - (3 + die(30)) * DAY + (480 + die(600)) * MINUTE,
    rivals: rivalsOf(number, label, story),
  };
  return { ...brand, prompts: promptsOf(brand, label, story) };
}

/** The companies that answers about a brand may name besides it. */
function rivalsOf(brand: number, label: string, { firstName }: Story): Rival[] {
  const die = dieOf(`${label} rivals`);
  const [first, competitors] = [die(RIVALS), 5 + die(4)];
  const industry = brand % industries.length;
  return Array.from({ length: RIVALS }, (_, number) => {
    const isCompetitor = number < competitors;
    // Of the others, every fourth is at times named with what it sells.
    const suffix = isCompetitor || number % 4 === 0 ? industries[industry]!.suffix : null;
    // 5 shares no factor with 24, so that a brand meets each company of its industry once.
    const company = firstName + industry * RIVALS + ((first + number * 5) % RIVALS);
    return {
      ...companyOf(company, suffix),
      id: isCompetitor ? idOf(`${label} competitor ${number}`) : null,
      strength: isCompetitor ? 780 - 100 * number + die(160) : 0,
    };
  });
}

function promptsOf(
  brand: Omit<Brand, 'prompts'>,
  label: string,
  { prompts, cycles, lastCycle }: Story,
): Prompt[] {
  const die = dieOf(`${label} prompts`);
  const [firstQuestion, firstBuyer] = [die(questions.length), die(5)];
  const { category, buyers, needs } = brand.industry;
  return Array.from({ length: prompts }, (_, number) => {
    // 7 shares no factor with 30: no question comes twice before all have come once.
    const question = questions[(firstQuestion + number * 7) % questions.length]!;
    const choice = firstBuyer + Math.floor(number / questions.length) + number;
    // A brand's first three prompts are neither paused, two to four weeks ago, nor late, six weeks ago.
    const [isActive, isLate] = [die(12) > 0 || number < 3, die(20) === 0 && number >= 3];
    const firstWeek = isLate ? Math.max(brand.firstWeek, cycles - 6) : brand.firstWeek;
    const pausedAt = Math.max(cycles - 2 - die(3), brand.firstWeek + 1);
    const createdAt = isLate ? Math.max(brand.createdAt, lastCycle - 40 * DAY) : brand.createdAt;
    return {
      id: idOf(`${label} prompt ${number}`),
      text: question
        .replace('{category}', category)
        .replace('{buyer}', buyers[choice % buyers.length]!)
        .replace('{need}', needs[choice % needs.length]!)
        .replace('{rival}', brand.rivals[choice % 3]!.name)
        .replace('{year}', String(new Date(lastCycle).getUTCFullYear())),
      tags: [question.includes('{rival}') ? 'comparison' : 'discovery'],
      isActive,
      firstWeek,
      endWeek: isActive ? cycles : pausedAt,
      createdAt: createdAt + (number + 1) * MINUTE,
    };
  });
}
