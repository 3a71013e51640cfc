/** The documents that each brand has; the seventh, `brands`, belongs to the workspace. */
export const documentKinds = [
  'visibility',
  'stability',
  'competitors',
  'sources',
  'results',
  'prompts',
] as const;
export type DocumentKind = (typeof documentKinds)[number];

/** Every document: the workspace's list of brands and those of each brand. */
export const documentNames = ['brands', ...documentKinds] as const;
export type DocumentName = (typeof documentNames)[number];
