export * from '../../../lib/proofs/verify.ts';
