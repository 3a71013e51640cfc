export * from '../../../lib/weeks/compare.ts';
