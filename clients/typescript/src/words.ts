export * from '../../../lib/weeks/words.ts';
