export * from '../../../lib/weeks/weeks.ts';
