/** The documents of each brand. The workspace has one more, `brands`. */
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

/** Every document: the workspace's list of brands and those of each brand. */
export const documentNames = ['brands', ...documentKinds] as const;
export type DocumentName = (typeof documentNames)[number];
