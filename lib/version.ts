import description from '../package.json' with { type: 'json' };

/** The version of this code, as manifests and commands name it. */
export const VERSION: string = description.version;
