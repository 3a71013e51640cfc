/** The documents of each brand. */
export const documentKinds = [
  'visibility',
  'stability',
  'competitors',
  'sources',
  'results',
  'timeline',
  'prompts',
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Every document: the workspace's list of brands, its week and its tables, and those of each brand. */
export const documentNames = ['brands', 'week', 'table', ...documentKinds] as const;
export type DocumentName = (typeof documentNames)[number];

/** The documents that are compared from week to week: the week and the tables repeat them. */
export type ComparedDocument = 'brands' | DocumentKind;
