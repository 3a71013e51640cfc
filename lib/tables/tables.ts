import { brands } from './brands.ts';
import { shareOfVoice, shareOfVoiceByEngine } from './competitors.ts';
import type { TableName } from './names.ts';
import { prompts } from './prompts.ts';
import { changes, results } from './results.ts';
import { ownSite, sources } from './sources.ts';
import { stability, stabilityNames } from './stability.ts';
import type { Table } from './table.ts';
import { timeline } from './timeline.ts';
import { events, silent, trend, visibility } from './visibility.ts';

/** Every table, by its name. */
export const tables: Readonly<Record<TableName, Table>> = {
  brands,
  visibility,
  trend,
  events,
  results,
  changes,
  stability,
  stability_names: stabilityNames,
  share_of_voice: shareOfVoice,
  share_of_voice_by_engine: shareOfVoiceByEngine,
  sources,
  own_site: ownSite,
  silent,
  prompts,
  timeline,
};
