export * from '../../../lib/weeks/words.ts';
export * from '../../../lib/weeks/facts-in-words.ts';
